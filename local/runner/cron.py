"""EventBridge's schedule expressions: `rate(5 minutes)` and `cron(minute hour day month weekday year)`, in UTC."""

import calendar
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

_RATE = re.compile(r"rate\((\d+) (minute|hour|day)(s?)\)")
_CRON = re.compile(r"cron\(([^()]*)\)")
_MONTHS = {
    name: number
    for number, name in enumerate(
        ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"), 1
    )
}
_WEEKDAYS = {"SUN": 1, "MON": 2, "TUE": 3, "WED": 4, "THU": 5, "FRI": 6, "SAT": 7}
_LAST_YEAR = 2199


@dataclass(frozen=True)
class Rate:
    """A fixed interval, counted from when the schedule began."""

    interval: timedelta

    def next_after(self, moment: datetime) -> datetime:
        return moment + self.interval


@dataclass(frozen=True)
class Cron:
    """The six fields of a cron expression; day and weekday keep their text, for what they mean depends on the month."""

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    months: frozenset[int]
    years: frozenset[int]
    day: str
    weekday: str

    def next_after(self, moment: datetime) -> datetime | None:
        """The first time after `moment`, or None when there is none any more."""
        earliest = moment.astimezone(UTC).replace(second=0, microsecond=0) + timedelta(minutes=1)
        year, month = earliest.year, earliest.month
        while year <= _LAST_YEAR:
            if year in self.years and month in self.months:
                for day in sorted(self._days(year, month)):
                    for hour in self.hours:
                        for minute in self.minutes:
                            candidate = datetime(year, month, day, hour, minute, tzinfo=UTC)
                            if candidate >= earliest:
                                return candidate
            year, month = (year, month + 1) if month < 12 else (year + 1, 1)
        return None

    def _days(self, year: int, month: int) -> set[int]:
        if self.day != "?":
            return _days_of_month(self.day, year, month)
        return _days_of_week(self.weekday, year, month)


def parse_expression(expression: str) -> Rate | Cron:
    """The schedule that the expression means; ValueError says what is wrong with it."""
    if rate := _RATE.fullmatch(expression):
        amount, unit, plural = int(rate[1]), rate[2], rate[3]
        if amount < 1 or (amount == 1) == bool(plural):
            raise ValueError(f"{expression}: a rate of one takes the singular, all others the plural")
        return Rate(timedelta(**{f"{unit}s": amount}))
    cron = _CRON.fullmatch(expression)
    if cron is None:
        raise ValueError(f"{expression}: only rate(…) and cron(…) are supported")
    fields = cron[1].upper().split()
    if len(fields) != 6:
        raise ValueError(f"{expression}: a cron expression has six fields")
    minute, hour, day, month, weekday, year = fields
    if (day == "?") == (weekday == "?"):
        raise ValueError(f"{expression}: exactly one of day and weekday must be ?")
    schedule = Cron(
        minutes=tuple(sorted(_numbers(minute, 0, 59))),
        hours=tuple(sorted(_numbers(hour, 0, 23))),
        months=frozenset(_numbers(month, 1, 12, _MONTHS)),
        years=frozenset(_numbers(year, 1970, _LAST_YEAR)),
        day=day,
        weekday=weekday,
    )
    # Any month will do to find out whether the day fields can be read.
    schedule._days(2024, 1)
    return schedule


def _numbers(text: str, low: int, high: int, names: dict[str, int] | None = None) -> set[int]:
    """What a field of lists, ranges, steps and names means."""

    def number(word: str) -> int:
        value = (names or {}).get(word) or (int(word) if word.isdecimal() else -1)
        if not low <= value <= high:
            raise ValueError(f"{word} is not between {low} and {high}")
        return value

    found: set[int] = set()
    for part in text.split(","):
        span, _, step = part.partition("/")
        first, dash, last = span.partition("-")
        if span == "*":
            start, end = low, high
        elif dash:
            start, end = number(first), number(last)
        else:
            # `5/15` counts on to the end of the range, `5` is just itself.
            start, end = number(first), high if step else number(first)
        if "/" in part and (not step.isdecimal() or int(step) < 1):
            raise ValueError(f"{part}: the step is not a number")
        if start > end:
            raise ValueError(f"{part}: the range runs backwards")
        found.update(range(start, end + 1, int(step or 1)))
    return found


def _days_of_month(text: str, year: int, month: int) -> set[int]:
    last = calendar.monthrange(year, month)[1]
    if text == "L":
        return {last}
    if text == "LW":
        return {_nearest_workday(year, month, last)}
    if text.endswith("W") and text[:-1].isdecimal() and 1 <= int(text[:-1]) <= 31:
        wanted = int(text[:-1])
        return {_nearest_workday(year, month, wanted)} if wanted <= last else set()
    return {day for day in _numbers(text, 1, 31) if day <= last}


def _nearest_workday(year: int, month: int, day: int) -> int:
    """The day itself, or the Friday or Monday next to it that lies in the same month."""
    last = calendar.monthrange(year, month)[1]
    weekday = date(year, month, day).weekday()
    if weekday == calendar.SATURDAY:
        return day - 1 if day > 1 else day + 2
    if weekday == calendar.SUNDAY:
        return day + 1 if day < last else day - 2
    return day


def _days_of_week(text: str, year: int, month: int) -> set[int]:
    last = calendar.monthrange(year, month)[1]

    def days_of(weekdays: set[int]) -> list[int]:
        return [day for day in range(1, last + 1) if date(year, month, day).isoweekday() % 7 + 1 in weekdays]

    if text == "L":
        return set(days_of({7}))
    if text.endswith("L"):
        return {days_of(_numbers(text[:-1], 1, 7, _WEEKDAYS))[-1]}
    if "#" in text:
        weekday, _, ordinal = text.partition("#")
        occurrences = days_of(_numbers(weekday, 1, 7, _WEEKDAYS))
        if ordinal not in ("1", "2", "3", "4", "5"):
            raise ValueError(f"{text}: the occurrence is not between 1 and 5")
        return set(occurrences[int(ordinal) - 1 : int(ordinal)])
    return set(days_of(_numbers(text, 1, 7, _WEEKDAYS)))
