# listen.py ADDRESS TOKEN PHOTO UPLOAD-ADDRESS CERTIFICATE: a third-party WebSocket client (Debian's python3-websockets) listens to
# /ws/events, with the token in the header and in the query, pings, receives an event, and closes. Prints a line of JSON.
import asyncio, json, ssl, sys, urllib.request
import websockets

address, token, photo, destination, certificate = sys.argv[1:6]
trust = ssl.create_default_context(cafile=certificate) if certificate else None
bearer = {"Authorization": "Bearer " + token}


def connect(url, **options):
    if trust:
        options["ssl"] = trust
    try:
        return websockets.connect(url, **options)
    except TypeError:
        options["additional_headers"] = options.pop("extra_headers")
        return websockets.connect(url, **options)


async def status(url, **options):
    try:
        async with connect(url, **options):
            return 101
    except Exception as error:
        return getattr(error, "status_code", None) or error.response.status_code


def upload():
    boundary = "x" * 24
    body = open(photo, "rb").read()
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\n'.encode()
    request = urllib.request.Request(
        destination, method="POST", data=head + body + f"\r\n--{boundary}--\r\n".encode(),
        headers={"Content-Type": "multipart/form-data; boundary=" + boundary, **bearer})
    return urllib.request.urlopen(request, context=trust).status


async def main():
    url = address.replace("http", "ws", 1) + "/ws/events"
    result = {}
    async with connect(url + "?since=0", extra_headers=bearer) as first:
        async with connect(url + "?since=0&access_token=" + token) as second:
            await asyncio.wait_for(await first.ping(b"hello"), 30)
            result["upload"] = await asyncio.to_thread(upload)
            heard = [await asyncio.wait_for(socket.recv(), 30) for socket in (first, second)]
            result["same"] = heard[0] == heard[1]
            result["event"] = json.loads(heard[0])
            await second.close(1001, "enough")
            result["second"] = second.close_code
        await first.send("may I?")
        try:
            await asyncio.wait_for(first.recv(), 30)
        except websockets.ConnectionClosed:
            result["first"] = first.close_code
    result["nobody"] = await status(url)
    result["forged"] = await status(url + "?access_token=nonsense")
    result["foreign"] = await status(url, extra_headers={"Origin": "https://evil.example.org", **bearer})
    print(json.dumps(result))


asyncio.run(main())
