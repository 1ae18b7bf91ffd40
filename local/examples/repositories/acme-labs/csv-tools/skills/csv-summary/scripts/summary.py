"""Print one line about each column of a CSV file."""

import csv
import sys


def describe(name: str, values: list[str]) -> str:
    filled = [value for value in values if value.strip()]
    empty = len(values) - len(filled)
    try:
        numbers = [float(value) for value in filled]
    except ValueError:
        return f"{name}: text, {len(set(filled))} different, {empty} empty"
    if not numbers:
        return f"{name}: nothing but empty cells"
    return f"{name}: numbers from {min(numbers):g} to {max(numbers):g}, {empty} empty"


def main() -> None:
    with open(sys.argv[1], newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if not rows:
        print("The file has no rows.")
        return
    for name in rows[0]:
        print(describe(name, [row[name] or "" for row in rows]))


if __name__ == "__main__":
    main()
