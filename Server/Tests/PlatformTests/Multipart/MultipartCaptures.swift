/// Requests of real clients, captured once on loopback. Each scalar is one byte, so a UTF-8 character shows as its single bytes.
/// The files: `b"q.bin` (in one variant with a line break in its name), `C:\x.jpg` (empty), and `Grüße.txt`.
enum MultipartCaptures {
    /// curl 7.88.1: `-F note=… -F photo=@…;type=image/jpeg -F 'back=@…;filename="C:\x.jpg"' -F u=@…`.
    static let curl = (
        contentType: "multipart/form-data; boundary=------------------------f19269c24e722e6a",
        body: """
        --------------------------f19269c24e722e6a\r\n\
        Content-Disposition: form-data; name="note"\r\n\
        \r\n\
        Hello, W\u{C3}\u{BC}rld\r\n\
        --------------------------f19269c24e722e6a\r\n\
        Content-Disposition: form-data; name="photo"; filename="b%22q.bin"\r\n\
        Content-Type: image/jpeg\r\n\
        \r\n\
        A\r\n\
        --\0\u{FF}\n\
        \r\n\
        --------------------------f19269c24e722e6a\r\n\
        Content-Disposition: form-data; name="back"; filename="C:\\x.jpg"\r\n\
        Content-Type: image/jpeg\r\n\
        \r\n\
        \r\n\
        --------------------------f19269c24e722e6a\r\n\
        Content-Disposition: form-data; name="u"; filename="Gr\u{C3}\u{BC}\u{C3}\u{9F}e.txt"\r\n\
        Content-Type: text/plain\r\n\
        \r\n\
        x\r\n\
        --------------------------f19269c24e722e6a--\r\n
        """
    )

    /// curl 7.88.1 with `--form-escape`, which older versions did by default.
    static let curlEscaping = (
        contentType: "multipart/form-data; boundary=------------------------3e55ad93b646aa04",
        body: """
        --------------------------3e55ad93b646aa04\r\n\
        Content-Disposition: form-data; name="photo"; filename="b\\"q.bin"\r\n\
        Content-Type: image/jpeg\r\n\
        \r\n\
        A\r\n\
        --\0\u{FF}\n\
        \r\n\
        --------------------------3e55ad93b646aa04\r\n\
        Content-Disposition: form-data; name="back"; filename="C:\\\\x.jpg"\r\n\
        Content-Type: image/jpeg\r\n\
        \r\n\
        \r\n\
        --------------------------3e55ad93b646aa04--\r\n
        """
    )

    /// Python requests 2.34.2.
    static let pythonRequests = (
        contentType: "multipart/form-data; boundary=92fc41d8c906067bc65f6bc31b4abf9e",
        body: """
        --92fc41d8c906067bc65f6bc31b4abf9e\r\n\
        Content-Disposition: form-data; name="note"\r\n\
        \r\n\
        Hello, W\u{C3}\u{BC}rld\r\n\
        --92fc41d8c906067bc65f6bc31b4abf9e\r\n\
        Content-Disposition: form-data; name="photo"; filename="b%22q.bin"\r\n\
        Content-Type: image/jpeg\r\n\
        \r\n\
        A\r\n\
        --\0\u{FF}\n\
        \r\n\
        --92fc41d8c906067bc65f6bc31b4abf9e\r\n\
        Content-Disposition: form-data; name="u"; filename="Gr\u{C3}\u{BC}\u{C3}\u{9F}e.txt"\r\n\
        \r\n\
        x\r\n\
        --92fc41d8c906067bc65f6bc31b4abf9e\r\n\
        Content-Disposition: form-data; name="back"; filename="C:\\x.jpg"\r\n\
        \r\n\
        \r\n\
        --92fc41d8c906067bc65f6bc31b4abf9e--\r\n
        """
    )

    /// `fetch` of Node 20 (undici), which follows the WHATWG as browsers do.
    static let nodeFetch = (
        contentType: "multipart/form-data; boundary=----formdata-undici-076359040393",
        body: """
        ------formdata-undici-076359040393\r\n\
        Content-Disposition: form-data; name="note"\r\n\
        \r\n\
        line1\r\n\
        line2\r\n\
        ------formdata-undici-076359040393\r\n\
        Content-Disposition: form-data; name="we%22ird%0D%0Aname"\r\n\
        \r\n\
        v\r\n\
        ------formdata-undici-076359040393\r\n\
        Content-Disposition: form-data; name="photo"; filename="b%22q%0D%0A.bin"\r\n\
        Content-Type: image/jpeg\r\n\
        \r\n\
        A\r\n\
        --\0\u{FF}\n\
        \r\n\
        ------formdata-undici-076359040393\r\n\
        Content-Disposition: form-data; name="u"; filename="Gr\u{C3}\u{BC}\u{C3}\u{9F}e.txt"\r\n\
        Content-Type: application/octet-stream\r\n\
        \r\n\
        x\r\n\
        ------formdata-undici-076359040393\r\n\
        Content-Disposition: form-data; name="back"; filename="C:\\x.jpg"\r\n\
        Content-Type: application/octet-stream\r\n\
        \r\n\
        \r\n\
        ------formdata-undici-076359040393--\r\n
        """
    )
}
