#!/bin/sh
# Stands in for an ffmpeg that never ends.
while :; do :; done
