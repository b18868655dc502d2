#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The CUDA backend compiles and links for Ampere, Hopper and Blackwell, needs no CUDA library to start, and says in a
sentence what is missing. Needs nvcc and no GPU; exit code 77 without nvcc."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(os.environ.get("ULLAGE_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
ARCHITECTURES = (80, 90, 100)


def find_nvcc():
    for candidate in (os.environ.get("CUDACXX"), shutil.which("nvcc"), "/usr/local/cuda/bin/nvcc"):
        if candidate and pathlib.Path(candidate).is_file():
            return candidate
    return None


def main() -> int:
    nvcc = find_nvcc()
    if nvcc is None:
        print("skipped: no nvcc")
        return 77
    known = subprocess.run([nvcc, "--list-gpu-code"], capture_output=True, text=True).stdout.split()
    wanted = [a for a in ARCHITECTURES if f"sm_{a}" in known]
    if 90 not in wanted:
        print(f"skipped: this nvcc does not know sm_90 (it knows {', '.join(known) or 'nothing'})")
        return 77
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "backend"
        codes = [x for a in wanted for x in ("-gencode", f"arch=compute_{a},code=sm_{a}")]
        command = [nvcc, "-std=c++20", "-O1", "--threads", "2", f"-I{ROOT / 'include'}", "-Xcompiler", "-Wall,-Wextra",
                   *codes, "-cudart", "static", str(ROOT / "tests/device/backend.cu"), "-ldl", "-o", str(program)]
        built = subprocess.run(command, capture_output=True, text=True)
        print(" ".join(command))
        print(built.stdout + built.stderr, end="")
        if built.returncode != 0:
            print("the backend does not compile")
            return 1

        cuobjdump = pathlib.Path(nvcc).with_name("cuobjdump")
        if cuobjdump.is_file():
            listed = subprocess.run([str(cuobjdump), "--list-elf", str(program)], capture_output=True, text=True).stdout
            problems += [f"no code for sm_{a} in the program" for a in wanted if f"sm_{a}." not in listed]
        readelf = shutil.which("readelf")
        if readelf:
            dynamic = subprocess.run([readelf, "-d", str(program)], capture_output=True, text=True).stdout
            for library in ("libcudart", "libcublas", "libcuda.so"):
                if library in dynamic:
                    problems.append(f"the program is linked to {library}: it could not say that it is missing")

        hidden = dict(os.environ, CUDA_VISIBLE_DEVICES="")
        ran = subprocess.run([str(program)], capture_output=True, text=True, env=hidden, timeout=120)
        print(ran.stdout + ran.stderr, end="")
        if ran.returncode != 77:
            problems.append(f"without a device the program ends with {ran.returncode}, expected 77")
        if "without a device: right" not in ran.stdout:
            problems.append("what needs no device is wrong")
        if not any(s in ran.stdout for s in ("no CUDA driver: ", "no CUDA device: ", "the CUDA driver is too old: ")):
            problems.append("the program does not say what is missing")
    for problem in problems:
        print("problem:", problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
