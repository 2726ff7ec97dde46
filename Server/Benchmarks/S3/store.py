"""The object store of the benchmark, Ceph's radosgw, and the programs that send files to it: Keepsake, `aws s3 cp`, and AWS's transfer
library."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import boto3
from botocore.config import Config

from load import settle
from servers import REPO, WORK, Failure, Keepsake, die_with_parent

# This port differs from that of the tests' store, so that both stores can run at the same time.
PORT = 17580
# Newer clients add checksums in the body's encoding, which this radosgw does not know. It checks the MD5 or SHA-256 of each part instead.
AWS = {"AWS_REQUEST_CHECKSUM_CALCULATION": "when_required", "AWS_RESPONSE_CHECKSUM_VALIDATION": "when_required", "AWS_CONFIG_FILE": "/dev/null",
       "AWS_SHARED_CREDENTIALS_FILE": "/dev/null", "AWS_DEFAULT_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true"}


class Store:
    """radosgw with one monitor and one OSD. scripts/services.sh starts it with its own files."""

    def __init__(self, kind, byte_count):
        self.kind = kind
        self.folder = WORK / "s3-services"
        self.environment = {**os.environ, "KEEPSAKE_SERVICES": str(self.folder.resolve()), "KEEPSAKE_S3_PORT": str(PORT),
                            "KEEPSAKE_S3_STORE": kind, "KEEPSAKE_S3_SIZE": str(byte_count)}

    def start(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
        told = self.script("start")
        found = re.search(r"s3://([^?\s]+)\?endpoint=(\S+) AWS_ACCESS_KEY_ID=(\S+) AWS_SECRET_ACCESS_KEY=(\S+)", told)
        if not found:
            raise Failure(f"scripts/services.sh start s3 did not print the store's address: {told}")
        self.bucket, self.endpoint, key, secret = found.groups()
        self.endpoint = self.endpoint.partition("&")[0]
        self.keys = {"AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret}
        self.client = boto3.client(
            "s3", endpoint_url=self.endpoint, region_name="us-east-1", aws_access_key_id=key, aws_secret_access_key=secret,
            config=Config(s3={"addressing_style": "path"}, request_checksum_calculation="when_required",
                          response_checksum_validation="when_required", max_pool_connections=16))
        return self

    def stop(self):
        if self.folder.exists():
            self.script("stop")

    def script(self, command):
        run = subprocess.run([str(REPO / "scripts/services.sh"), command, "s3"], capture_output=True, text=True, env=self.environment)
        if run.returncode != 0:
            raise Failure(f"scripts/services.sh {command} s3: {run.stderr[-2000:]}")
        return run.stdout

    def processes(self):
        return [int(path.read_text()) for path in (self.folder / "ceph").glob("*.process")]

    def settle(self):
        for process in self.processes():
            settle(process)

    def objects(self, prefix):
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=self.bucket, Prefix=prefix)
        return [(one["Key"], one["Size"]) for page in pages for one in page.get("Contents", [])]

    def digest(self, key):
        digest = hashlib.sha256()
        for block in self.client.get_object(Bucket=self.bucket, Key=key)["Body"].iter_chunks(1 << 20):
            digest.update(block)
        return digest.hexdigest()

    def clear(self, label, prefix, digests, size):
        """Checks that the bucket holds every acknowledged file, byte for byte, then deletes them and frees their space."""
        stored = [key for key, length in self.objects(prefix) if length == size]
        with ThreadPoolExecutor(2) as pool:
            found = list(pool.map(self.digest, stored))
        if sorted(found) != sorted(digests):
            raise Failure(f"{label}: {len(digests)} files were acknowledged, but only {len(set(found) & set(digests))} of them are in the "
                          f"bucket, byte for byte ({len(found)} objects of that size)")
        self.delete([key for key, _ in self.objects(prefix)])
        self.settle()

    def delete(self, keys):
        for key in keys:
            self.client.delete_object(Bucket=self.bucket, Key=key)
        # radosgw frees the parts of a deleted object later, unless it is told to do it now.
        subprocess.run(["radosgw-admin", "-n", "client.rgw", "-c", str(self.folder / "ceph/ceph.conf"), "gc", "process", "--include-all"],
                       capture_output=True, check=False)

    def version(self):
        return subprocess.run(["radosgw", "--version"], capture_output=True, text=True).stdout.split(" (")[0].strip()


class Ours(Keepsake):
    """Keepsake with its blobs in the bucket, and its rows in SQLite."""

    prefix = "keepsake/"
    store = None

    def command(self):
        address = f"s3://{self.store.bucket}?endpoint={self.store.endpoint}&region=us-east-1&prefix={self.prefix.rstrip('/')}"
        return [*super().command(), "--blobs", address, "--log", "error"]

    def environment(self):
        return {**super().environment(), **self.store.keys}

    def clear(self, digests, size):
        self.store.clear(self.label, self.prefix, digests, size)

    def upload(self, load, count):
        """Returns how many seconds it takes until `count` concurrent requests, each with two files, have their responses."""
        self.store.settle()
        return load.send(self, count)[0]


class Copy:
    """`aws s3 cp`: one process for each pair of files, as a person would start it."""

    label = "aws s3 cp"
    prefix = "copy/"

    def __init__(self, store):
        self.store = store
        self.environment = {**os.environ, **AWS, **store.keys}
        self.program = [sys.executable, str(Path(sys.executable).parent / "aws")]

    def start(self):
        return self

    def stop(self):
        pass

    def folders(self, load, count):
        """Writes the files of the request bodies, with new bytes, into one folder for each request. Returns folders and hashes."""
        found, digests = [], []
        for index in range(count):
            body = load.body("multipart", index)
            digests += body.renew()
            folder = load.folder / f"files-{index}"
            folder.mkdir(exist_ok=True)
            with open(body.path, "rb") as file:
                for number, (offset, length) in enumerate(body.spans):
                    file.seek(offset)
                    (folder / f"film-{number}.mp4").write_bytes(file.read(length))
            found.append(folder)
        return found, digests

    def command(self, folder, index):
        return [*self.program, "--endpoint-url", self.store.endpoint, "s3", "cp", "--recursive", "--only-show-errors", str(folder),
                f"s3://{self.store.bucket}/{self.prefix}{index}"]

    def upload(self, load, count):
        folders, digests = self.folders(load, count)
        self.store.settle()
        begun = time.monotonic()
        running = [subprocess.Popen(self.command(folder, index), env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                    preexec_fn=die_with_parent) for index, folder in enumerate(folders)]
        told = [run.communicate()[0] for run in running]
        wall = time.monotonic() - begun
        if any(run.returncode != 0 for run in running):
            raise Failure(f"{self.label}: {''.join(told)[-2000:]}")
        self.store.clear(self.label, self.prefix, digests, load.size)
        return wall


class Warm(Copy):
    """The library behind `aws s3 cp`, in processes that run already, so without the half second that the command needs to start."""

    label = "aws's transfer library, warm"
    prefix = "warm/"
    program = """
import sys, boto3
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
endpoint, bucket = sys.argv[1:]
client = boto3.client("s3", endpoint_url=endpoint, config=Config(s3={"addressing_style": "path"}, max_pool_connections=20))
client.list_objects_v2(Bucket=bucket, MaxKeys=1)
with ThreadPoolExecutor(2) as pool:
    for line in sys.stdin:
        folder, prefix = line.split()
        list(pool.map(lambda path: client.upload_file(str(path), bucket, f"{prefix}/{path.name}"), Path(folder).iterdir()))
        print("done", flush=True)
"""

    def __init__(self, store, count):
        super().__init__(store)
        self.count = count
        self.running = []

    def start(self):
        for _ in range(self.count):
            self.running.append(subprocess.Popen(
                [sys.executable, "-c", Warm.program, self.store.endpoint, self.store.bucket], env=self.environment, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, text=True, preexec_fn=die_with_parent))
        return self

    def stop(self):
        for run in self.running:
            run.stdin.close()
            run.wait(20)

    def upload(self, load, count):
        folders, digests = self.folders(load, count)
        self.store.settle()
        begun = time.monotonic()
        for index, folder in enumerate(folders):
            self.running[index].stdin.write(f"{folder} {self.prefix}{index}\n")
            self.running[index].stdin.flush()
        for run in self.running[:count]:
            if run.stdout.readline() != "done\n":
                raise Failure(f"{self.label} failed")
        wall = time.monotonic() - begun
        self.store.clear(self.label, self.prefix, digests, load.size)
        return wall


# MARK: - Reading


def link_of(server, path):
    """Uploads one file. Returns the path and query of its signed link."""
    run = subprocess.run(
        ["curl", "--silent", "--show-error", "--fail", "-H", f"Authorization: Bearer {server.account['access_token']}", "-F", f"file=@{path}",
         f"http://127.0.0.1:{server.port}/api/users/user/{server.account['user_id']}/multimedia/swift"], capture_output=True, text=True)
    found = re.search(r'"url"\s*:\s*"([^"]+/multimedia/files/[^"]+)"', run.stdout.replace("\\/", "/"))
    if not found:
        raise Failure(f"Keepsake did not accept a file: {run.stdout[:500]}{run.stderr[-500:]}")
    return "/" + found.group(1).split("/", 3)[3]


def read(port, path, size, connections, seconds):
    """Returns the seconds for each file of `size` bytes, while `connections` clients read it again and again. The client is
    Serving/peers/read.c."""
    run = subprocess.run([str(WORK / "read"), "plain", str(port), path, str(size), str(connections), f"{seconds:g}", "0"],
                         capture_output=True, text=True)
    if run.returncode != 0:
        raise Failure(f"the reader failed: {run.stderr.strip()[-1000:]}")
    found = json.loads(run.stdout)
    return found["seconds"] / (found["bytes"] / size)
