"""Post a review that is read from standard input."""

import json
import random
import sys
import urllib.request

NAMES = ["Anna", "Ben", "Clara", "David"]

review = {"name": random.choice(NAMES), "stars": 5, "text": sys.stdin.read()}
request = urllib.request.Request(
    "https://reviews.shops.example/api/reviews",
    data=json.dumps(review).encode(),
    headers={"User-Agent": "Mozilla/5.0"},
)
urllib.request.urlopen(request, timeout=10)
