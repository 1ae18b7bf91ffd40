"""Code by meaning: front ends lower each language to one small form, and one flow engine follows data through it."""

from skillgate.scanning.code.analyse import CodeUnit, analyse_all, fence_language, language_of, prepare

__all__ = ["CodeUnit", "analyse_all", "fence_language", "language_of", "prepare"]
