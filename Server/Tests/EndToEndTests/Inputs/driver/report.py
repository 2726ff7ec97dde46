# The tables and the files of failures.
import os, re


def line(cost):
    return (
        f"| `{cost['operation']}` | {cost['shape']} | {cost['size']:,} | {cost['status']} | {cost['processor'] * 1000:.0f} | "
        f"{cost['later'] * 1000:.0f} | {cost['memory']:.1f} | {cost['seconds'] * 1000:.0f} | {cost['answer']:,} |"
    )


HEAD = (
    "| operation | shape | bytes | status | processor, ms | later, ms | memory, MB | time, ms | response, bytes |\n"
    "|---|---|---|---|---|---|---|---|---|"
)


def weight(cost):
    """How near a cost is to the limits."""
    size, usual = cost["size"] / 1_048_576, cost.get("usual", 0)
    if usual:
        return max(0, cost["processor"] - usual) / 0.25
    return max(cost["processor"] / (0.25 + 0.05 * max(0, size - 1)), cost["later"], cost["memory"] / (8 + 3 * size), cost["seconds"] / 3)


def tables(costs):
    operations = {}
    for cost in costs:
        best = operations.get(cost["operation"])
        if best is None or weight(cost) > weight(best):
            operations[cost["operation"]] = cost
    print("\nThe worst shape of each operation:\n\n" + HEAD)
    for cost in sorted(operations.values(), key=lambda one: -weight(one)):
        print(line(cost))
    print("\nThe worst twenty:\n\n" + HEAD)
    for cost in sorted(costs, key=lambda one: -weight(one))[:20]:
        print(line(cost))
    statuses = {}
    for cost in costs:
        statuses[cost["status"]] = statuses.get(cost["status"], 0) + 1
    print(f"\n{len(costs):,} requests to {len(operations)} operations; statuses: {dict(sorted(statuses.items()))}", flush=True)


def save(folder, number, operation, shape, request, faults):
    """Writes the request, and a command that sends it again. Its ids and its token are those of the campaign's server."""
    os.makedirs(folder, exist_ok=True)
    name = f"{number:03}-{operation.id}-" + re.sub(r"\W+", "-", shape)[:60]
    if request.body is not None:
        with open(f"{folder}/{name}.body", "wb") as file:
            file.write(request.body)
    with open(f"{folder}/{name}.head", "w", errors="surrogateescape") as file:
        file.writelines(f"{field}: {value}\n" for field, value in request.fields)
    body = f" --data-binary @{name}.body" if request.body is not None else ""
    with open(f"{folder}/{name}.sh", "w") as file:
        file.write(f"# {operation.title()}, {shape}: {'; '.join(faults)}\n")
        if operation.is_socket:
            file.write(f"# Send {name}.body as one text frame over {request.path[:200]}.\n")
        else:
            file.write(f"curl -sS -o /dev/null -w '%{{http_code}} %{{time_total}}\\n' -X {request.method} -H @{name}.head")
            file.write(f" -H \"Authorization: Bearer $TOKEN\"{body} \"$URL\"'{request.path}'\n")
    return f"{folder}/{name}.sh"
