#!/usr/bin/env python3
"""Answer a folder of inputs with the operator's own code, and write the answers as a corpus.

    record.py --operator DIR|--git-dir DIR --commit REF --release 1.4 --inputs DIR --out DIR
              [--target grove,lws,plain] [--config FILE] [--only GLOB] [--program FILE]

The operator comes from a checkout of Dynamo (--operator), or from a commit of a git directory (--git-dir, --commit).
It is copied to a temporary folder, and the program beside this script is built inside of its module: the packages it
needs are internal to it. The checkout stays as it is. --program keeps what was built, and takes it the next time.
Needs Go (the version in the operator's go.mod), git, tar, and the Go module proxy. See README.md.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MODULE = pathlib.Path("deploy/operator")
# What the module of the operator is built of. Older releases have deploy/snapshot beside it.
SOURCES = ("deploy/operator", "deploy/snapshot")
SNAPSHOT = "github.com/ai-dynamo/snapshot/api"


class Failed(Exception):
    """A step that failed; the message says which, and what to do."""


def run(*command: str | pathlib.Path, cwd: pathlib.Path | None = None) -> None:
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, cwd=cwd, check=False)
    except FileNotFoundError as error:
        raise Failed(f"{words[0]} is missing: install it") from error
    if done.returncode:
        raise Failed(f"{' '.join(words)} failed with status {done.returncode}")


def copy_source(options: argparse.Namespace, into: pathlib.Path) -> None:
    """Put deploy/operator, and deploy/snapshot where it is there, into a folder."""
    if options.operator is None:
        export_commit(options.git_dir, options.commit, into)
    else:
        for name in SOURCES:
            if (options.operator / name).is_dir():
                shutil.copytree(options.operator / name, into / name, symlinks=True)
    if not (into / MODULE / "go.mod").is_file():
        raise Failed(f"no {MODULE}/go.mod there: give the root of a checkout of Dynamo")


def export_commit(git_dir: pathlib.Path, commit: str, into: pathlib.Path) -> None:
    listed = subprocess.run(
        ["git", f"--git-dir={git_dir}", "ls-tree", "-d", "--name-only", commit, *SOURCES],
        check=False,
        capture_output=True,
        text=True,
    )
    if listed.returncode:
        raise Failed(f"git knows no commit {commit} in {git_dir}: {listed.stderr.strip()}")
    archive = into / "source.tar"
    run("git", f"--git-dir={git_dir}", "archive", f"--output={archive}", commit, *listed.stdout.split())
    run("tar", "-xf", archive, "-C", into)


def build(source: pathlib.Path, program: pathlib.Path) -> None:
    """Build the program inside of the operator's module, with the versions that its go.mod names."""
    module = source / MODULE
    shutil.copytree(HERE / "program", module / "cmd" / "oracle")
    tags = []
    if SNAPSHOT in (module / "go.mod").read_text():
        shutil.copytree(HERE / "snapshot", source / "snapshot-types")
        run("go", "mod", "edit", f"-replace={SNAPSHOT}={source / 'snapshot-types'}", cwd=module)
        tags = ["-tags", "snapshot"]
    # -mod=mod: the API server's code needs a few modules that the operator's go.mod doesn't list.
    run("go", "build", "-mod=mod", *tags, "-o", program, "./cmd/oracle", cwd=module)


def record(options: argparse.Namespace, program: pathlib.Path, crds: pathlib.Path) -> None:
    options.out.mkdir(parents=True, exist_ok=True)
    if options.inputs.resolve() != (options.out / "inputs").resolve():
        shutil.copytree(options.inputs, options.out / "inputs", dirs_exist_ok=True)
    config = options.config or HERE / "default-config.yaml"
    if options.config and options.config.resolve() != (options.out / "operator-config.yaml").resolve():
        shutil.copy(options.config, options.out / "operator-config.yaml")
    targets = options.target.split(",")
    for target in targets:
        arguments = {
            "inputs": options.inputs, "out": options.out, "crds": crds, "target": target, "config": config,
            "version": full_version(options.release), "only": options.only,
        }  # fmt: skip
        run(program, *(f"--{name}={value}" for name, value in arguments.items()))
    corpus = {
        "operatorVersion": options.release,
        "targets": targets,
        "operatorConfig": "operator-config.yaml" if options.config else None,
    }
    (options.out / "corpus.json").write_text(json.dumps(corpus, indent=1) + "\n")


def full_version(release: str) -> str:
    return release if release.count(".") == 2 else f"{release}.0"


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--operator", type=pathlib.Path, help="root of a checkout of Dynamo")
    parser.add_argument("--git-dir", type=pathlib.Path, help="git directory of Dynamo, with --commit")
    parser.add_argument("--commit", help="commit, tag or branch to build")
    parser.add_argument("--release", required=True, help="the release's name, for example 1.4 or 1.4.2")
    parser.add_argument("--inputs", type=pathlib.Path, required=True, help="folder of NAME.yaml")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder of the corpus")
    parser.add_argument("--target", default="grove,lws,plain")
    parser.add_argument("--config", type=pathlib.Path, help="operator configuration; default: default-config.yaml")
    parser.add_argument("--only", default="*", help="glob on the names of inputs")
    parser.add_argument("--program", type=pathlib.Path, help="where the built program is kept")
    options = parser.parse_args()
    if options.operator is None and not (options.git_dir and options.commit):
        parser.error("give --operator, or --git-dir and --commit")
    return options


def main() -> int:
    options = parse()
    try:
        with tempfile.TemporaryDirectory(prefix="dynamoc-oracle-") as folder:
            source = pathlib.Path(folder)
            copy_source(options, source)
            program = (options.program or source / "oracle-program").resolve()
            if not program.exists():
                build(source, program)
            record(options, program, source / MODULE / "config/crd/bases")
    except Failed as error:
        print(f"record.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
