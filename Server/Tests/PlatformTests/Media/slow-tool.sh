#!/bin/sh
# Replaces ffmpeg in a test; never ends.
while :; do :; done
