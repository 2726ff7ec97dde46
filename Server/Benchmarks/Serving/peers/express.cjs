// Serves Keepsake's files by idiomatic Express, over HTTP/1.1 with and without TLS. It does the work that Keepsake does: it verifies the
// link's HMAC and expiry, reads the file's row by Node's synchronous SQLite binding, and sends the file by `response.sendFile` with the
// same header fields. It runs one process for each core (node:cluster). The environment variable PEER is the path of a JSON file with the
// settings.
"use strict"
const cluster = require("node:cluster")
const { readFileSync } = require("node:fs")

const peer = JSON.parse(readFileSync(process.env.PEER))

function announce(ports) {
    console.log(`listening on http://127.0.0.1:${ports.plain} https://127.0.0.1:${ports.secure}`)
}

if (peer.processes === 1) {
    serve(announce)
} else if (cluster.isPrimary) {
    let count = 0
    cluster.on("message", (_, ports) => {
        if (++count === peer.processes) announce(ports)
    })
    cluster.on("exit", () => process.exit(1))
    process.on("SIGTERM", () => process.exit(0))
    for (let number = 0; number < peer.processes; number++) cluster.fork()
} else {
    serve((ports) => process.send(ports))
}

function serve(announce) {
    const { createHmac, timingSafeEqual } = require("node:crypto")
    const http = require("node:http")
    const https = require("node:https")
    const { DatabaseSync } = require("node:sqlite")
    const express = require("express")

    const database = new DatabaseSync(peer.database)
    database.exec("PRAGMA busy_timeout = 10000")
    const find = database.prepare(`SELECT media.id, media.owner, media.blob, media.name, media.type, media.sha256, media.byte_count, media.width,
            media.height, media.duration_ms, media.taken_at, media.category, media.title, media.description, media.tags, media.group_id,
            media.created_at
        FROM media JOIN account ON account.id = media.owner
        WHERE media.id = ? AND media.owner = ? AND account.closed_at IS NULL AND account.suspended_at IS NULL`)
    const secret = Buffer.from(peer.linkSecret, "hex")

    // The seal works as in Keepsake's SignedLinks: each part is preceded by its length, so that no two messages are equal.
    function seal(parts) {
        const pieces = []
        for (const part of parts) {
            const bytes = Buffer.from(part)
            const length = Buffer.alloc(8)
            length.writeUInt32LE(bytes.length)
            pieces.push(length, bytes)
        }
        return createHmac("sha256", secret).update(Buffer.concat(pieces)).digest().subarray(0, 16)
    }

    function signed(request, response, next) {
        const { signature, expires } = request.query
        if (signature === undefined) return response.status(401).json({ success: false, error: "A credential or a signed link is needed." })
        const given = Buffer.from(String(signature), "base64url")
        const expected = seal(["link", "GET", request.path, String(expires)])
        if (given.length !== expected.length || !timingSafeEqual(given, expected))
            return response.status(403).json({ success: false, error: "The link's signature is invalid." })
        if (Date.now() / 1000 >= Number(expires)) return response.status(403).json({ success: false, error: "This link has expired." })
        next()
    }

    const app = express()
    app.disable("x-powered-by")
    app.disable("etag")
    app.get("/api/users/user/:user/multimedia/files/:file", signed, (request, response, next) => {
        const found = find.get(request.params.file, request.params.user)
        if (!found) return response.status(404).json({ success: false, error: "There is no such file." })
        response.set({
            ETag: `"${found.sha256}"`,
            "Last-Modified": new Date(found.created_at / 1000).toUTCString(),
            "Content-Type": found.type,
            "Content-Disposition": `inline; filename="${found.name}"`,
            "Cache-Control": `private, max-age=${Number(request.query.expires) - Math.floor(Date.now() / 1000)}, immutable`,
            "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "sandbox; default-src 'none'",
        })
        response.sendFile(`${found.blob.slice(0, 2)}/${found.blob}`, { root: peer.blobs, cacheControl: false, lastModified: false }, (error) => {
            // A client may disconnect before it has read everything.
            if (error && !response.headersSent) next(error)
        })
    })
    const plain = http.createServer(app).listen(0, "127.0.0.1", () => {
        const secure = https.createServer({ cert: readFileSync(peer.certificate), key: readFileSync(peer.key) }, app).listen(0, "127.0.0.1", () =>
            announce({ plain: plain.address().port, secure: secure.address().port }))
    })
}
