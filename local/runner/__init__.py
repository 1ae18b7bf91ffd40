"""Runs a SAM template's functions on one machine: the gateway, Lambda, event sources and schedules.

    template = load_template(Path("template.yaml"), sqs_endpoint=..., http_endpoint=...)
    runner = Runner(template, layer_paths=[...], environment={...}, sqs_endpoint=..., http_port=8080, log=...)
    runner.start()

The queues and tables that the template names (`template.queues`, `template.tables`) must exist before the start.
"""

from .model import Template, TemplateError
from .runner import Runner, RunnerSettings
from .template import load_template

__all__ = ["Runner", "RunnerSettings", "Template", "TemplateError", "load_template"]
