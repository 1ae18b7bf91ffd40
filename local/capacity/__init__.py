"""What a month costs and how long people wait, from measured figures: `make cost` and `make simulate`."""
