#!/usr/bin/env python3
"""llama.py --data FOLDER: runs the llama.cpp server with a tiny model of the Llama architecture, and prints `listening on http://…`. The model
is made here: its weights are random, so it writes words of its vocabulary in no order, and ends at some point by itself. The protocol, the
tokens that are counted and the errors are those of llama.cpp. Ignores other options, so that tests can start it as they start the server.
Needs the packages of `scripts/python.sh models`."""

import argparse
import pathlib
import signal
import sys

import gguf
import numpy
import xllamacpp

name = "tiny"
words = """the lake was calm and we walked along river until evening light over hills a boat came in with Ben Mira who had seen eleven herons by
jetty it is good to be here again""".split()
width, layers, heads, inner, context = 64, 2, 4, 128, 8_192


def write(path):
    """Writes the model: 0.5 MB, the same bytes each time."""
    random = numpy.random.default_rng(7)
    kind = gguf.TokenType
    # As in Llama's vocabulary, a text that is none of the words is read byte by byte.
    tokens = [("<unk>", kind.UNKNOWN, 0.0), ("<s>", kind.CONTROL, 0.0), ("</s>", kind.CONTROL, 0.0)]
    tokens += [(f"<0x{byte:02X}>", kind.BYTE, 0.0) for byte in range(256)]
    first_word = len(tokens)
    tokens += [("\u2581" + word, kind.NORMAL, -1.0) for word in dict.fromkeys(words)]

    file = gguf.GGUFWriter(path, "llama")
    file.add_name(name)
    file.add_context_length(context)
    file.add_embedding_length(width)
    file.add_block_count(layers)
    file.add_feed_forward_length(inner)
    file.add_head_count(heads)
    file.add_head_count_kv(heads)
    file.add_layer_norm_rms_eps(1e-5)
    file.add_rope_dimension_count(width // heads)
    file.add_vocab_size(len(tokens))
    file.add_file_type(gguf.LlamaFileType.ALL_F32)
    file.add_tokenizer_model("llama")
    file.add_token_list([token for token, _, _ in tokens])
    file.add_token_types([kind for _, kind, _ in tokens])
    file.add_token_scores([score for _, _, score in tokens])
    file.add_bos_token_id(1)
    file.add_eos_token_id(2)
    file.add_unk_token_id(0)
    file.add_chat_template("{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}assistant:")

    def normal(*shape, scale=0.1):
        return (random.standard_normal(shape) * scale).astype(numpy.float32)

    output = normal(len(tokens), width, scale=0.5)
    # The words and the end are far more likely than single bytes, which together might be no valid UTF-8.
    output[:2] = output[3:first_word] = 0
    tensors = {"token_embd": normal(len(tokens), width, scale=0.5), "output": output, "output_norm": numpy.ones(width, numpy.float32)}
    for layer in range(layers):
        block = {name: normal(width, width) for name in ("attn_q", "attn_k", "attn_v", "attn_output")}
        block |= {"ffn_gate": normal(inner, width), "ffn_up": normal(inner, width), "ffn_down": normal(width, inner)}
        block |= {name: numpy.ones(width, numpy.float32) for name in ("attn_norm", "ffn_norm")}
        tensors |= {f"blk.{layer}.{name}": values for name, values in block.items()}
    for tensor, values in tensors.items():
        file.add_tensor(f"{tensor}.weight", values)
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--port", type=int, default=0)
    chosen = parser.parse_known_args()[0]
    path = chosen.data / f"{name}.gguf"
    write(path)
    settings = xllamacpp.CommonParams()
    settings.model.path = str(path)
    settings.model_alias = {name}
    settings.port = chosen.port
    # Threads of llama.cpp spin while they wait for each other, which is slow beside other programs.
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    settings.n_ctx, settings.n_parallel, settings.warmup = context, 1, False
    server = xllamacpp.Server(settings)
    print(f"listening on {server.listening_address}", flush=True)
    signal.sigwait({signal.SIGTERM, signal.SIGINT})
    sys.exit(0)


if __name__ == "__main__":
    main()
