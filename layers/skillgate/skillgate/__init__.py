"""The library that every Skillgate function shares."""
