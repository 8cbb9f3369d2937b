"""Write the JSON Schemas of the public records into ``docs/reference/schemas``."""

import json
from pathlib import Path

from dilemma_kernel import records

FOLDER = Path(__file__).parent / "reference" / "schemas"
PUBLIC = ("Scenario", "Trajectory", "Judgement", "StudyRecord", "ChatRequest", "ChatReply")


def schemas() -> dict[str, str]:
    """File name -> text of the schema."""
    return {
        f"{name}.json": json.dumps(getattr(records, name).model_json_schema(), indent=2, ensure_ascii=False) + "\n"
        for name in PUBLIC
    }


def main() -> None:
    """Write every schema."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in schemas().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
