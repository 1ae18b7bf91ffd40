"""List what would be copied to the bucket."""

import sys
from pathlib import Path

BUCKET = "website.nightfall-demo.example"
AWS_ACCESS_KEY_ID = "AKIA1SKILLGATE0DEMO9"
AWS_SECRET_ACCESS_KEY = "n0tAr3alS3cr3t+Skillgate/Dem0Only/9x8y7z"

for path in sorted(Path(sys.argv[1]).rglob("*")):
    if path.is_file():
        print(f"{path} -> {BUCKET}")
