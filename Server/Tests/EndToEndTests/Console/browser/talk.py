"""Sample data for the pictures of chat: a conversation of Ada's with the server itself, which quotes her entries and her files."""

import uuid

from console import expect

notes = b"Packing list for the lake: the blue lantern, two towels and a knife. The ferry to the island leaves at nine.\n"


def talk(api, photos):
    """Sends the messages, and returns the views to take."""
    answer = send(api, "Who found the bench with the carved names?")
    id = answer["conversation"]["conversationId"]
    files = [upload(api, "packing list.txt", "text/plain", notes), upload(api, "lake-evening.jpg", "image/jpeg", photos["lake-evening"], width="1600", height="1100")]
    send(api, "When does the ferry to the island leave, and what is on the packing list?", id, files)
    api.call("POST", "/api/chat/convos/update", {"conversationId": id, "title": "To the island"})
    send(api, "Who baked bread with plums?")
    return [("chat", "chat"), ("conversation", f"chat?id={id}", wait), ("message", "chat?new=1", lambda page: write(page, photos)), ("sent", "chat/sent")]


def send(api, text, conversation=None, files=()):
    return api.call("POST", "/api/chat/agents/chat/local", {
        "text": text, "messageId": str(uuid.uuid4()), "conversationId": conversation, "files": [{"file_id": file} for file in files]})


def upload(api, name, kind, data, **size):
    return api.form("/api/chat/files/upload", list(size.items()), [("file", name, kind, data)])["file_id"]


def wait(page):
    expect(page.locator(".message.answer").last).to_be_visible()


def write(page, photos):
    """A message that is being written, with files."""
    page.get_by_role("textbox", name="Your message").fill("Which of these did we take on the longest day?")
    page.get_by_label("Attach files").set_input_files([
        {"name": f"{name}.jpg", "mimeType": "image/jpeg", "buffer": photos[name]} for name in ["dusk-sea", "morning-fog"]])
    expect(page.locator(".attachments li.done")).to_have_count(2)
