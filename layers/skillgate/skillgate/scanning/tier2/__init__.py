"""Tier 2: a model judges the skill, and its answer is believed only as far as it can be checked.

    prompt.py     the skill as data, fenced and escaped
    injection.py  text in a skill that talks to the judge
    answer.py     the answer's schema, and when it is usable
    judge.py      the whole way: cache, budget, retries, record of tokens and cost

Nothing here speaks to a model: `adapters/bedrock.py` and `adapters/openai_judge.py` do.
"""
