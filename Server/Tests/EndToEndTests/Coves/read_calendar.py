"""read_calendar.py FILE: reads an iCalendar file with the library icalendar, and prints its events as JSON, in the order of the file."""

import datetime
import json
import sys

import icalendar

with open(sys.argv[1], "rb") as file:
    calendar = icalendar.Calendar.from_ical(file.read())


def moment(value):
    """In UTC; anything else is an error of the file."""
    assert value.utcoffset() == datetime.timedelta(0), value
    return value.strftime("%Y-%m-%dT%H:%M:%SZ")


events = [
    {
        "id": str(event["UID"]),
        "name": str(event["SUMMARY"]),
        "description": str(event["DESCRIPTION"]) if "DESCRIPTION" in event else None,
        "location": str(event["LOCATION"]),
        "coveName": ",".join(str(category) for category in event["CATEGORIES"].cats),
        "start": moment(event["DTSTART"].dt),
        "end": moment(event["DTEND"].dt),
        "stamp": moment(event["DTSTAMP"].dt),
        "status": str(event["STATUS"]),
        "properties": sorted(event.keys()),
    }
    for event in calendar.walk("VEVENT")
]
components = [component.name for component in calendar.walk()]
print(
    json.dumps(
        {
            "events": events,
            "components": len(components),
            "kinds": sorted(set(components)),
            "errors": [str(error) for component in calendar.walk() for error in getattr(component, "errors", [])],
            "version": str(calendar["VERSION"]),
            "properties": sorted(calendar.keys()),
        }
    )
)
