#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The headers of the catalogue are what their data gives, and bad data is refused with a sentence."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("ULLAGE_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
DATA = SOURCE / "cmake" / "catalog"
HEADERS = SOURCE / "include" / "ullage" / "catalog"


def run(script, *arguments):
    return subprocess.run([sys.executable, "-B", str(script), *arguments], capture_output=True, text=True, check=False)


class Generated(unittest.TestCase):
    def test_headers_match_their_data(self):
        answer = run(DATA / "generate.py", "--check")
        self.assertEqual(answer.returncode, 0, answer.stderr)


class Copied(unittest.TestCase):
    """Works on a copy, so that data can be broken."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        root = pathlib.Path(self.folder.name)
        self.data, self.headers = root / "cmake" / "catalog", root / "include" / "ullage" / "catalog"
        shutil.copytree(DATA, self.data)
        shutil.copytree(HEADERS, self.headers)

    def tearDown(self):
        self.folder.cleanup()

    def check(self, *said):
        answer = run(self.data / "generate.py", "--check")
        self.assertEqual(answer.returncode, 1)
        for word in said:
            self.assertIn(word, answer.stderr)

    def edit(self, path, old, new):
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def test_edited_header_is_named(self):
        self.edit(self.headers / "nvidia.hpp", "143771_MiB", "144384_MiB")
        self.check("nvidia.hpp")

    def test_edited_data_names_the_header(self):
        self.edit(self.data / "amd" / "accelerators.tsv", "mi300x\tpower\t750", "mi300x\tpower\t760")
        self.check("amd.hpp")

    def test_missing_header_is_named(self):
        (self.headers / "names.hpp").unlink()
        self.check("names.hpp")

    def test_bad_data_is_refused(self):
        nvidia, amd = "nvidia_datacenter/accelerators.tsv", "amd/accelerators.tsv"
        for name, old, new, said in (
            (nvidia, "h200-sxm\tpower\t700\tW", "h200-sxm\tpower\t-700\tW", "positive"),
            (nvidia, "h200-sxm\tpower\t700\tW", "h200-sxm\tpower\t700\tkW", "not in kW"),
            (nvidia, "h200-sxm\tpower\t700\tW", "h200-sxm\tpower\tnan\tW", "positive"),
            (nvidia, "h200-sxm\tpower\t", "h200-sxm\tpowr\t", "no such figure"),
            (nvidia, "h200-sxm\tmemory_driver\t143771", "h200-sxm\tmemory_driver\t153771", "more than the label"),
            (nvidia, "h200-sxm\tpeak_fp8\t1978.9", "h200-sxm\tpeak_fp8\t3958", "dense peak"),
            (nvidia, "l4\tmemory_rate\t", "l4\tmemory_rate\t1", "bus width"),
            (nvidia, "h200-sxm\tlacks\tfp4", "h200-sxm\tlacks\tfp8", "lacks it"),
            (nvidia, "h200-sxm\tfabric\tnvlink-4-hgx", "h200-sxm\tfabric\tnvlink-4-hqx", "fabrics.tsv has no"),
            (nvidia, "h200-sxm\tvendor\tnvidia", "h200-sxm\tvendor\tnvida", "no such vendor"),
            (amd, "mi300x\tecc\tnative", "mi300x\tecc\tperhaps", "no such ecc"),
            ("fabrics.tsv", "xgmi-mi300\tper_peer\t64", "xgmi-mi300\tper_peer\t448", "xgmi-mi300 states"),
            ("fabrics.tsv", "nvlink-4-hgx\tboth_ways\t900", "nvlink-4-hgx\tboth_ways\t450", "two directions"),
            ("systems.tsv", "dgx-h100\taccelerator\th100-sxm", "dgx-h100\taccelerator\th100", "no such part"),
            ("systems.tsv", "dgx-h100\tnics\t8", "dgx-h100\tnics\t4", "its ports"),
            ("nvidia_datacenter/pci.tsv", "10de:2330", "10de:233", "PCI id"),
        ):
            path = self.data / name
            good = path.read_text(encoding="utf-8")
            self.edit(path, old, new)
            with self.subTest(new):
                self.check(said)
            path.write_text(good, encoding="utf-8")

    def test_a_name_stands_for_one_part(self):
        with (self.data / "nvidia_datacenter" / "aliases.tsv").open("a", encoding="utf-8") as aliases:
            aliases.write("l4\tL40S\tusage\n")
        self.check("aliases.tsv:", "already stands for")


if __name__ == "__main__":
    unittest.main()
