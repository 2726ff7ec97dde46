// Embeds the files of App/ in the program, so that it needs none at run time. The build rebuilds this file when one of them changes.
#include "console.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "../App/index.html"
};
static const unsigned char missing_html[] = {
#embed "../App/missing.html"
};
static const unsigned char icon_svg[] = {
#embed "../App/icon.svg"
};
static const unsigned char fonts_inter_400_woff2[] = {
#embed "../App/fonts/inter-400.woff2"
};
static const unsigned char fonts_inter_500_woff2[] = {
#embed "../App/fonts/inter-500.woff2"
};
static const unsigned char fonts_inter_600_woff2[] = {
#embed "../App/fonts/inter-600.woff2"
};
static const unsigned char fonts_inter_700_woff2[] = {
#embed "../App/fonts/inter-700.woff2"
};
static const unsigned char fonts_vollkorn_600_woff2[] = {
#embed "../App/fonts/vollkorn-600.woff2"
};
static const unsigned char style_fonts_css[] = {
#embed "../App/style/fonts.css"
};
static const unsigned char style_tokens_css[] = {
#embed "../App/style/tokens.css"
};
static const unsigned char style_base_css[] = {
#embed "../App/style/base.css"
};
static const unsigned char style_parts_css[] = {
#embed "../App/style/parts.css"
};
static const unsigned char style_views_css[] = {
#embed "../App/style/views.css"
};
static const unsigned char style_people_css[] = {
#embed "../App/style/people.css"
};
static const unsigned char style_captures_css[] = {
#embed "../App/style/captures.css"
};
static const unsigned char style_chat_css[] = {
#embed "../App/style/chat.css"
};
static const unsigned char app_js[] = {
#embed "../App/app.js"
};
static const unsigned char lib_announce_js[] = {
#embed "../App/lib/announce.js"
};
static const unsigned char lib_api_js[] = {
#embed "../App/lib/api.js"
};
static const unsigned char lib_dates_js[] = {
#embed "../App/lib/dates.js"
};
static const unsigned char lib_dialog_js[] = {
#embed "../App/lib/dialog.js"
};
static const unsigned char lib_dom_js[] = {
#embed "../App/lib/dom.js"
};
static const unsigned char lib_forms_js[] = {
#embed "../App/lib/forms.js"
};
static const unsigned char lib_icons_js[] = {
#embed "../App/lib/icons.js"
};
static const unsigned char lib_links_js[] = {
#embed "../App/lib/links.js"
};
static const unsigned char lib_list_js[] = {
#embed "../App/lib/list.js"
};
static const unsigned char lib_live_js[] = {
#embed "../App/lib/live.js"
};
static const unsigned char lib_markdown_js[] = {
#embed "../App/lib/markdown.js"
};
static const unsigned char lib_moods_js[] = {
#embed "../App/lib/moods.js"
};
static const unsigned char lib_press_js[] = {
#embed "../App/lib/press.js"
};
static const unsigned char lib_routes_js[] = {
#embed "../App/lib/routes.js"
};
static const unsigned char lib_scroll_js[] = {
#embed "../App/lib/scroll.js"
};
static const unsigned char lib_session_js[] = {
#embed "../App/lib/session.js"
};
static const unsigned char lib_stream_js[] = {
#embed "../App/lib/stream.js"
};
static const unsigned char media_attachments_js[] = {
#embed "../App/media/attachments.js"
};
static const unsigned char media_files_js[] = {
#embed "../App/media/files.js"
};
static const unsigned char media_gallery_js[] = {
#embed "../App/media/gallery.js"
};
static const unsigned char media_picture_js[] = {
#embed "../App/media/picture.js"
};
static const unsigned char media_pictures_js[] = {
#embed "../App/media/pictures.js"
};
static const unsigned char media_player_js[] = {
#embed "../App/media/player.js"
};
static const unsigned char media_recorder_js[] = {
#embed "../App/media/recorder.js"
};
static const unsigned char media_spoken_js[] = {
#embed "../App/media/spoken.js"
};
static const unsigned char media_tiles_js[] = {
#embed "../App/media/tiles.js"
};
static const unsigned char media_uploads_js[] = {
#embed "../App/media/uploads.js"
};
static const unsigned char media_viewer_js[] = {
#embed "../App/media/viewer.js"
};
static const unsigned char media_wav_js[] = {
#embed "../App/media/wav.js"
};
static const unsigned char views_account_js[] = {
#embed "../App/views/account.js"
};
static const unsigned char views_agenda_js[] = {
#embed "../App/views/agenda.js"
};
static const unsigned char views_ask_js[] = {
#embed "../App/views/ask.js"
};
static const unsigned char views_calendar_js[] = {
#embed "../App/views/calendar.js"
};
static const unsigned char views_capsules_js[] = {
#embed "../App/views/capsules.js"
};
static const unsigned char views_capture_js[] = {
#embed "../App/views/capture.js"
};
static const unsigned char views_captures_js[] = {
#embed "../App/views/captures.js"
};
static const unsigned char views_chat_js[] = {
#embed "../App/views/chat.js"
};
static const unsigned char views_contacts_js[] = {
#embed "../App/views/contacts.js"
};
static const unsigned char views_conversation_js[] = {
#embed "../App/views/conversation.js"
};
static const unsigned char views_cove_js[] = {
#embed "../App/views/cove.js"
};
static const unsigned char views_coves_js[] = {
#embed "../App/views/coves.js"
};
static const unsigned char views_credentials_js[] = {
#embed "../App/views/credentials.js"
};
static const unsigned char views_day_js[] = {
#embed "../App/views/day.js"
};
static const unsigned char views_edit_js[] = {
#embed "../App/views/edit.js"
};
static const unsigned char views_entries_js[] = {
#embed "../App/views/entries.js"
};
static const unsigned char views_event_js[] = {
#embed "../App/views/event.js"
};
static const unsigned char views_formpage_js[] = {
#embed "../App/views/formpage.js"
};
static const unsigned char views_installation_js[] = {
#embed "../App/views/installation.js"
};
static const unsigned char views_keep_js[] = {
#embed "../App/views/keep.js"
};
static const unsigned char views_marked_js[] = {
#embed "../App/views/marked.js"
};
static const unsigned char views_message_js[] = {
#embed "../App/views/message.js"
};
static const unsigned char views_months_js[] = {
#embed "../App/views/months.js"
};
static const unsigned char views_operator_js[] = {
#embed "../App/views/operator.js"
};
static const unsigned char views_parts_js[] = {
#embed "../App/views/parts.js"
};
static const unsigned char views_people_js[] = {
#embed "../App/views/people.js"
};
static const unsigned char views_person_js[] = {
#embed "../App/views/person.js"
};
static const unsigned char views_photos_js[] = {
#embed "../App/views/photos.js"
};
static const unsigned char views_search_js[] = {
#embed "../App/views/search.js"
};
static const unsigned char views_selection_js[] = {
#embed "../App/views/selection.js"
};
static const unsigned char views_sent_js[] = {
#embed "../App/views/sent.js"
};
static const unsigned char views_settings_js[] = {
#embed "../App/views/settings.js"
};
static const unsigned char views_signin_js[] = {
#embed "../App/views/signin.js"
};
static const unsigned char views_single_js[] = {
#embed "../App/views/single.js"
};
static const unsigned char views_timeline_js[] = {
#embed "../App/views/timeline.js"
};

#define HTML "text/html; charset=utf-8"
#define SVG "image/svg+xml"
#define CSS "text/css; charset=utf-8"
#define WOFF2 "font/woff2"
#define JS "text/javascript; charset=utf-8"
#define FILE(path, type, name) {path, type, name, sizeof name}

static const struct console_file files[] = {
    FILE("index.html", HTML, index_html),
    FILE("missing.html", HTML, missing_html),
    FILE("icon.svg", SVG, icon_svg),
    FILE("fonts/inter-400.woff2", WOFF2, fonts_inter_400_woff2),
    FILE("fonts/inter-500.woff2", WOFF2, fonts_inter_500_woff2),
    FILE("fonts/inter-600.woff2", WOFF2, fonts_inter_600_woff2),
    FILE("fonts/inter-700.woff2", WOFF2, fonts_inter_700_woff2),
    FILE("fonts/vollkorn-600.woff2", WOFF2, fonts_vollkorn_600_woff2),
    FILE("style/fonts.css", CSS, style_fonts_css),
    FILE("style/tokens.css", CSS, style_tokens_css),
    FILE("style/base.css", CSS, style_base_css),
    FILE("style/parts.css", CSS, style_parts_css),
    FILE("style/views.css", CSS, style_views_css),
    FILE("style/people.css", CSS, style_people_css),
    FILE("style/captures.css", CSS, style_captures_css),
    FILE("style/chat.css", CSS, style_chat_css),
    FILE("app.js", JS, app_js),
    FILE("lib/announce.js", JS, lib_announce_js),
    FILE("lib/api.js", JS, lib_api_js),
    FILE("lib/dates.js", JS, lib_dates_js),
    FILE("lib/dialog.js", JS, lib_dialog_js),
    FILE("lib/dom.js", JS, lib_dom_js),
    FILE("lib/forms.js", JS, lib_forms_js),
    FILE("lib/icons.js", JS, lib_icons_js),
    FILE("lib/links.js", JS, lib_links_js),
    FILE("lib/list.js", JS, lib_list_js),
    FILE("lib/live.js", JS, lib_live_js),
    FILE("lib/markdown.js", JS, lib_markdown_js),
    FILE("lib/moods.js", JS, lib_moods_js),
    FILE("lib/press.js", JS, lib_press_js),
    FILE("lib/routes.js", JS, lib_routes_js),
    FILE("lib/scroll.js", JS, lib_scroll_js),
    FILE("lib/session.js", JS, lib_session_js),
    FILE("lib/stream.js", JS, lib_stream_js),
    FILE("media/attachments.js", JS, media_attachments_js),
    FILE("media/files.js", JS, media_files_js),
    FILE("media/gallery.js", JS, media_gallery_js),
    FILE("media/picture.js", JS, media_picture_js),
    FILE("media/pictures.js", JS, media_pictures_js),
    FILE("media/player.js", JS, media_player_js),
    FILE("media/recorder.js", JS, media_recorder_js),
    FILE("media/spoken.js", JS, media_spoken_js),
    FILE("media/tiles.js", JS, media_tiles_js),
    FILE("media/uploads.js", JS, media_uploads_js),
    FILE("media/viewer.js", JS, media_viewer_js),
    FILE("media/wav.js", JS, media_wav_js),
    FILE("views/account.js", JS, views_account_js),
    FILE("views/agenda.js", JS, views_agenda_js),
    FILE("views/ask.js", JS, views_ask_js),
    FILE("views/calendar.js", JS, views_calendar_js),
    FILE("views/capsules.js", JS, views_capsules_js),
    FILE("views/capture.js", JS, views_capture_js),
    FILE("views/captures.js", JS, views_captures_js),
    FILE("views/chat.js", JS, views_chat_js),
    FILE("views/contacts.js", JS, views_contacts_js),
    FILE("views/conversation.js", JS, views_conversation_js),
    FILE("views/cove.js", JS, views_cove_js),
    FILE("views/coves.js", JS, views_coves_js),
    FILE("views/credentials.js", JS, views_credentials_js),
    FILE("views/day.js", JS, views_day_js),
    FILE("views/edit.js", JS, views_edit_js),
    FILE("views/entries.js", JS, views_entries_js),
    FILE("views/event.js", JS, views_event_js),
    FILE("views/formpage.js", JS, views_formpage_js),
    FILE("views/installation.js", JS, views_installation_js),
    FILE("views/keep.js", JS, views_keep_js),
    FILE("views/marked.js", JS, views_marked_js),
    FILE("views/message.js", JS, views_message_js),
    FILE("views/months.js", JS, views_months_js),
    FILE("views/operator.js", JS, views_operator_js),
    FILE("views/parts.js", JS, views_parts_js),
    FILE("views/people.js", JS, views_people_js),
    FILE("views/person.js", JS, views_person_js),
    FILE("views/photos.js", JS, views_photos_js),
    FILE("views/search.js", JS, views_search_js),
    FILE("views/selection.js", JS, views_selection_js),
    FILE("views/sent.js", JS, views_sent_js),
    FILE("views/settings.js", JS, views_settings_js),
    FILE("views/signin.js", JS, views_signin_js),
    FILE("views/single.js", JS, views_single_js),
    FILE("views/timeline.js", JS, views_timeline_js),
};

const struct console_file *console_file_at(size_t index) {
    return index < sizeof files / sizeof *files ? &files[index] : NULL;
}
