"""CloudFormation's YAML and its intrinsic functions, in the tag form and in the `Fn::` form."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import yaml

from .model import TemplateError

_SUB_VARIABLE = re.compile(r"\$\{(!?)([^}]*)\}")
_BOOLEANS = {"Fn::Equals", "Fn::Not", "Fn::And", "Fn::Or", "Condition"}


class _NoValue:
    """What AWS::NoValue resolves to: the property that holds it disappears."""


NO_VALUE = _NoValue()


class _Loader(yaml.SafeLoader):
    """YAML as CloudFormation reads it: tags become functions, dates stay text, a key stands once."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        if repeated := {key for key in keys if keys.count(key) > 1 and key != "<<"}:
            raise TemplateError(f"line {node.start_mark.line + 1}: the key {sorted(repeated)[0]} stands twice")
        return super().construct_mapping(node, deep)


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _construct_tag(loader: _Loader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    value: Any
    if isinstance(node, yaml.ScalarNode):
        value = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    else:
        assert isinstance(node, yaml.MappingNode)
        value = loader.construct_mapping(node, deep=True)
    return {suffix if suffix in ("Ref", "Condition") else f"Fn::{suffix}": value}


_Loader.add_multi_constructor("!", _construct_tag)


def parse_yaml(text: str) -> dict[str, Any]:
    """The template as nested dictionaries, with every tag in its `Fn::` form."""
    try:
        document = yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader with CloudFormation's tags
    except yaml.YAMLError as error:
        raise TemplateError(f"the template is not valid YAML: {error}") from error
    if not isinstance(document, dict) or not isinstance(document.get("Resources"), dict):
        raise TemplateError("the template has no Resources")
    return document


class Intrinsics:
    """Resolves values against parameters, conditions, mappings and references to resources.

    `reference(logical_id)` and `attribute(logical_id, name)` answer for resources; both raise KeyError for what they
    do not know. `where` in the methods is the place in the template that an error names.
    """

    def __init__(
        self,
        document: Mapping[str, Any],
        parameters: Mapping[str, str | list[str]],
        pseudo_parameters: Mapping[str, Any],
        reference: Callable[[str], Any],
        attribute: Callable[[str, str], Any],
    ) -> None:
        self._conditions: Mapping[str, Any] = document.get("Conditions", {})
        self._mappings: Mapping[str, Any] = document.get("Mappings", {})
        self._values: dict[str, Any] = {**pseudo_parameters, **parameters}
        self._reference = reference
        self._attribute = attribute

    def condition(self, name: str, where: str) -> bool:
        if name not in self._conditions:
            raise TemplateError(f"{where}: there is no condition {name}")
        return self._boolean(self._conditions[name], f"Conditions.{name}")

    def resolve(self, value: Any, where: str) -> Any:
        """The value with every function replaced by its result, and without what became AWS::NoValue."""
        if isinstance(value, list):
            resolved = [self.resolve(item, f"{where}[{index}]") for index, item in enumerate(value)]
            return [item for item in resolved if item is not NO_VALUE]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            ((name, argument),) = value.items()
            if name == "Ref" or str(name).startswith("Fn::"):
                return self._call(name, argument, where)
        entries = {key: self.resolve(item, f"{where}.{key}") for key, item in value.items()}
        return {key: item for key, item in entries.items() if item is not NO_VALUE}

    def _call(self, name: str, argument: Any, where: str) -> Any:
        if name in _BOOLEANS:
            return self._boolean({name: argument}, where)
        functions: dict[str, Callable[[Any, str], Any]] = {
            "Ref": self._ref,
            "Fn::GetAtt": self._get_att,
            "Fn::Sub": self._sub,
            "Fn::If": self._if,
            "Fn::Join": self._join,
            "Fn::Select": self._select,
            "Fn::Split": self._split,
            "Fn::FindInMap": self._find_in_map,
        }
        if name not in functions:
            raise TemplateError(f"{where}: {name} is not supported")
        return functions[name](argument, where)

    def _boolean(self, value: Any, where: str) -> bool:
        if not isinstance(value, dict) or len(value) != 1:
            raise TemplateError(f"{where}: {value!r} is not a condition")
        ((name, argument),) = value.items()
        if name == "Condition":
            return self.condition(argument, where)
        operands = argument if isinstance(argument, list) else []
        if name == "Fn::Equals" and len(operands) == 2:
            left, right = (as_text(self.resolve(operand, where), where) for operand in operands)
            return left == right
        if name == "Fn::Not" and len(operands) == 1:
            return not self._boolean(operands[0], where)
        if name == "Fn::And" and operands:
            return all(self._boolean(operand, where) for operand in operands)
        if name == "Fn::Or" and operands:
            return any(self._boolean(operand, where) for operand in operands)
        raise TemplateError(f"{where}: {name} is not a condition function or has the wrong arguments")

    def _ref(self, name: Any, where: str) -> Any:
        if name in self._values:
            return self._values[name]
        try:
            return self._reference(name)
        except KeyError as error:
            raise TemplateError(f"{where}: !Ref {name} names no parameter and no resource") from error

    def _get_att(self, argument: Any, where: str) -> Any:
        logical_id, _, name = argument.partition(".") if isinstance(argument, str) else (argument[0], "", argument[1])
        try:
            return self._attribute(logical_id, self.resolve(name, where))
        except KeyError as error:
            raise TemplateError(f"{where}: !GetAtt {logical_id}.{name} names nothing that is known") from error

    def _sub(self, argument: Any, where: str) -> str:
        text, variables = (
            (argument, {}) if isinstance(argument, str) else self._arguments(argument, 2, where, "Fn::Sub")
        )

        def replace(match: re.Match[str]) -> str:
            literal, name = match.group(1), match.group(2).strip()
            if literal:
                return "${" + name + "}"
            if name in variables:
                return as_text(self.resolve(variables[name], where), where)
            if "." in name and name not in self._values:
                return as_text(self._get_att(name, where), where)
            return as_text(self._ref(name, where), where)

        return _SUB_VARIABLE.sub(replace, text)

    def _if(self, argument: Any, where: str) -> Any:
        name, then, otherwise = self._arguments(argument, 3, where, "Fn::If")
        return self.resolve(then if self.condition(name, where) else otherwise, where)

    def _join(self, argument: Any, where: str) -> str:
        delimiter, items = self._arguments(argument, 2, where, "Fn::Join")
        return str(delimiter).join(as_text(item, where) for item in self._list(items, where))

    def _select(self, argument: Any, where: str) -> Any:
        index, items = self._arguments(argument, 2, where, "Fn::Select")
        position, candidates = as_int(self.resolve(index, where), where), self._list(items, where)
        if not 0 <= position < len(candidates):
            raise TemplateError(f"{where}: Fn::Select {position} of a list of {len(candidates)}")
        return candidates[position]

    def _split(self, argument: Any, where: str) -> list[str]:
        delimiter, text = self._arguments(argument, 2, where, "Fn::Split")
        return as_text(self.resolve(text, where), where).split(delimiter)

    def _find_in_map(self, argument: Any, where: str) -> Any:
        keys = [
            as_text(self.resolve(key, where), where) for key in self._arguments(argument, 3, where, "Fn::FindInMap")
        ]
        entry: Any = self._mappings
        for key in keys:
            if not isinstance(entry, dict) or key not in entry:
                raise TemplateError(f"{where}: Fn::FindInMap {keys} finds nothing")
            entry = entry[key]
        return entry

    def _list(self, value: Any, where: str) -> list[Any]:
        items = self.resolve(value, where)
        if not isinstance(items, list):
            raise TemplateError(f"{where}: {items!r} is not a list")
        return items

    @staticmethod
    def _arguments(argument: Any, count: int, where: str, name: str) -> list[Any]:
        if not isinstance(argument, list) or len(argument) != count:
            raise TemplateError(f"{where}: {name} takes a list of {count}")
        return argument


def as_text(value: Any, where: str) -> str:
    """A scalar as CloudFormation passes it on, which knows strings only."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    raise TemplateError(f"{where}: expected text, found {value!r}")


def as_int(value: Any, where: str) -> int:
    """A number, also where it came through a parameter as text."""
    try:
        return int(as_text(value, where))
    except ValueError as error:
        raise TemplateError(f"{where}: expected a whole number, found {value!r}") from error


def as_bool(value: Any, where: str) -> bool:
    """A boolean, also where it came through a parameter as text."""
    text = as_text(value, where).lower()
    if text not in ("true", "false"):
        raise TemplateError(f"{where}: expected true or false, found {value!r}")
    return text == "true"
