"""Draws docs/pictures/upload.svg, the way of one photo. Run: python3 docs/pictures/upload.py"""
import pathlib

W, H = 1080, 640
LANES = [("socket", 20), ("Platform/Web", 190), ("Features/Media", 470), ("Platform/Blobs", 690), ("disk", 930)]
BOXES = [
    # x, y, w, h, title, note
    (190, 70, 250, 46, "Channel/HTTPChannel", "HTTP/1.1, limits, early responses"),
    (190, 136, 250, 46, "RequestLog · ErrorBoundary", "log line; errors in the route's format"),
    (190, 202, 250, 46, "Routes.serve", "Authenticate, decode path and query"),
    (470, 202, 190, 46, "UploadMedia", "the handler"),
    (190, 290, 250, 46, "IncomingForm", "drives the parser, 100-continue"),
    (190, 356, 250, 46, "MultipartParser", "pure: bytes in, ranges out, no copy"),
    (690, 323, 210, 46, "UploadSession", "stages, limits, checks first bytes"),
    (470, 356, 190, 46, "MediaRules · Sniffer", "detect the type by content"),
    (690, 410, 210, 46, "BlobWriter", "SHA-256 and write on a thread"),
    (470, 500, 190, 46, "MediaStore.add", "ONE transaction"),
    (690, 500, 210, 46, "GroupCommit (SQLite)", "64 writers share one sync"),
]
DISK = [(930, 410, "blobs/tmp/KEY"), (930, 452, "fsync · rename · fsync"), (930, 500, "keepsake.sqlite-wal")]
ARROWS = [
    ((120, 93), (188, 93)), ((315, 116), (315, 134)), ((315, 182), (315, 200)), ((440, 225), (468, 225)),
    ((540, 248), (442, 305)), ((315, 336), (315, 354)), ((440, 325), (688, 340)), ((690, 362), (662, 372)),
    ((795, 369), (795, 408)), ((900, 430), (928, 424)), ((565, 248), (565, 354)), ((565, 402), (565, 498)),
    ((660, 523), (688, 523)), ((900, 523), (928, 514)),
]
out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {W} {H}" font-family="Helvetica, Arial, sans-serif">',
       '<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
       '<path d="M0 0L8 4L0 8z" fill="#3b5b92"/></marker></defs>', f'<rect width="{W}" height="{H}" fill="#fbfaf7"/>']
for name, x in LANES:
    out.append(f'<text x="{x}" y="36" font-size="17" font-weight="bold" fill="#3b5b92">{name}</text>')
for x, y, w, h, title, note in BOXES:
    out.append(f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="8" fill="#fff" stroke="#3b5b92"/>'
               f'<text x="{x + 12}" y="{y + 20}" font-size="14" font-weight="bold" fill="#222">{title}</text>'
               f'<text x="{x + 12}" y="{y + 37}" font-size="12" fill="#555">{note}</text>')
for x, y, text in DISK:
    out.append(f'<rect x="{x}" y="{y}" width="140" height="28" rx="4" fill="#f0e6d2" stroke="#b08d4a"/>'
               f'<text x="{x + 8}" y="{y + 19}" font-size="12" fill="#333">{text}</text>')
for (x1, y1), (x2, y2) in ARROWS:
    out.append(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="#3b5b92" stroke-width="1.6" marker-end="url(#a)"/>')
out.append('<text x="20" y="97" font-size="14" fill="#222">POST a photo</text>')
for line, text in enumerate((
        "The bytes have their final name before the rows are written. The server sends 200 only after the rows are durable on disk.",
        "A crash between the two leaves a file without a row. A cleanup removes it after 48 hours.")):
    out.append(f'<text x="20" y="{590 + 22 * line}" font-size="14" fill="#222">{text}</text>')
out.append('</svg>')
pathlib.Path(__file__).with_suffix(".svg").write_text("\n".join(out) + "\n")
