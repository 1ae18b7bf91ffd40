"""A stub of Bedrock's Converse API that plays a scripted judge, and says in every verdict that it is one.

Without a play for a prompt, the default is `review`, unless all of tier 1's findings in the prompt are low or
informational, or there are none: then it approves with a score of 88.
"""

from local.bedrock.script import Play, Script
from local.bedrock.stub import BedrockStub, PromptRecord

__all__ = ["BedrockStub", "Play", "PromptRecord", "Script"]
