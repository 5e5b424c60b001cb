"""Takes inputs and records of all golden cases from the recorded corpora: `python -m tools.golden_records DIR`."""

import json
import shutil
import sys
from pathlib import Path

import yaml

from tests.golden.cases import Case, cases


def record(case: Case, conformance: Path) -> None:
    corpus = conformance / case.corpus
    if case.corpus.rsplit("-", 1)[-1] in ("examples", "wild"):
        sys.exit(f"{case.name}: {case.corpus} holds other people's text, which must not be copied")
    shutil.copyfile(corpus / "inputs" / f"{case.record}.yaml", case.input)
    if case.operator_config:
        shutil.copyfile(corpus / "operator-config.yaml", case.folder / case.operator_config)
    for target in case.targets:
        answer = json.loads((corpus / "expected" / target / f"{case.record}.json").read_text())
        if answer["admitted"]:
            shown = case.shown(answer["objects"])
            if not shown:
                raise LookupError(f"{case.name}: {case.show} finds nothing in the record for {target}")
        else:
            shown = {"refused": {"stage": answer["stage"], "errors": answer["errors"]}}
        text = yaml.safe_dump(shown, sort_keys=True, allow_unicode=True, width=120)
        (case.folder / f"{target}.yaml").write_text(text)


def main() -> None:
    problems = []
    for case in cases():
        if case.commit:
            continue
        try:
            record(case, Path(sys.argv[1]))
        except (LookupError, OSError) as error:
            problems.append(str(error))
    sys.exit("\n".join(problems) or None)


if __name__ == "__main__":
    main()
