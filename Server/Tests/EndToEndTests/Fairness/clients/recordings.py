# Recordings that take long to decode, the attack with them, and the voice note and the film of its victims. ffmpeg makes all of them.
import os, subprocess
from wire import form


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *arguments], check=True)


def path(stage, name):
    """A file beside the stage's own file."""
    return os.path.join(os.path.dirname(stage.path), name)


def repeated(stage, name, source, codec, seconds, count):
    """A sound that consists of the same `seconds`, `count` times. To encode all of it would take longer."""
    piece, whole = path(stage, "piece-" + name), path(stage, name)
    ffmpeg("-f", "lavfi", "-i", source, "-t", str(seconds), *codec.split(), piece)
    ffmpeg("-stream_loop", str(count - 1), "-i", piece, "-c", "copy", whole)
    return whole


def recording(stage):
    """130 minutes of noise in 5 MB, as many samples as a recording may have. Decoding them takes 3 s."""
    source = "anoisesrc=sample_rate=48000:amplitude=0.1:seed=1,aformat=channel_layouts=stereo"
    # The server counts the longest frames that a codec allows. Opus allows 120 ms.
    return repeated(stage, "recording.mp4", source, "-c:a libopus -application lowdelay -frame_duration 120 -b:a 8k", 65, 120)


def voice_note(stage):
    """Five minutes at the rate at which phones record. From four minutes on, their decoding is long work."""
    return repeated(stage, "voice.m4a", "sine=frequency=300:sample_rate=44100", "-c:a aac -b:a 32k", 10, 30)


def small_film(stage):
    """A second of a film that browsers play, so that the server does not convert it."""
    whole = path(stage, "small.mp4")
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=320x180:rate=30:duration=1", "-c:v", "libx264", "-pix_fmt", "yuv420p", whole)
    return whole


def mood(content):
    """The body of a mood with a voice note, and its content type."""
    return form({"mood": "calm"}, [("voiceNote", "a.m4a", "audio/mp4", content)])


def uploads(attack):
    """Two uploads at a time of each account, one after the other."""
    with open(attack.stage["recording"], "rb") as file:
        body, kind = mood(file.read())

    def upload(client, number):
        person = attack.accounts[number % len(attack.accounts)]
        return client.request("POST", f"/api/users/user/{person['id']}/moods/swift", person["token"], body, {"Content-Type": kind})[0]

    attack.each(2 * len(attack.accounts), upload)
