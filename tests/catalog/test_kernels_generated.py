#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The headers of fitted kernels are what their data gives, and bad data is refused with a sentence."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("ULLAGE_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
DATA = SOURCE / "cmake" / "catalog"
HEADERS = ("performance/fitted_kernels.hpp", "catalog/residual_nodes.hpp")


def check(script):
    return subprocess.run([sys.executable, "-B", str(script), "--check"], capture_output=True, text=True, check=False)


class Generated(unittest.TestCase):
    def test_headers_match_their_data(self):
        answer = check(DATA / "generate_kernels.py")
        self.assertEqual(answer.returncode, 0, answer.stderr)

    def test_bad_data_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            data = root / "cmake" / "catalog"
            shutil.copytree(DATA, data)
            for header in HEADERS:
                (root / "include" / "ullage" / header).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(SOURCE / "include" / "ullage" / header, root / "include" / "ullage" / header)
            path = data / "kernel_fits" / "gemm.jsonl"
            good = path.read_text(encoding="utf-8")
            first = good.splitlines()[0]
            for old, new, said in (
                ('"compute":0', '"compute":1', "compute is"),
                ('"floor_us":', '"floor_us":-', "floor_us is"),
                ('"kernel":"bf16"', '"kernel":"bf61"', "no such kernel"),
                ('"stack":"pooled"', '"stack":"poled"', "no such stack"),
                ('"nodes":[', '"nodes":[0,', "nodes"),
                ('"spread":[', '"spread":[200,', "spread"),
                ('"part":"', '"part":"no-', "the catalogue has no such part"),
                ('"source":"ai-dynamo', '"source":"","of":"ai-dynamo', "no source"),
                ('"floor_us":', '"floor_us":1', "fitted_kernels.hpp is not what its data gives"),
            ):
                self.assertIn(old, first)
                path.write_text(good.replace(first, first.replace(old, new, 1), 1), encoding="utf-8")
                with self.subTest(said):
                    answer = check(data / "generate_kernels.py")
                    self.assertEqual(answer.returncode, 1)
                    self.assertIn(said, answer.stderr)
            path.write_text(good + first + "\n", encoding="utf-8")
            self.assertIn("stands twice", check(data / "generate_kernels.py").stderr)


if __name__ == "__main__":
    unittest.main()
