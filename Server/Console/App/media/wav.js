// Converts a recording to what the server accepts: 16-bit PCM, one channel. Browsers record WebM or MP4 with different codecs, but every
// browser can decode its own recordings.

/** Hertz. Enough for a voice, at half the bytes of 48,000. */
export const hertz = 24_000;

/** @returns {Promise<Blob>} `audio/wav` */
export async function toWAV(recording) {
  // An offline context resamples to its own rate.
  const sound = await new OfflineAudioContext(1, 1, hertz).decodeAudioData(await recording.arrayBuffer());
  return encode(mix(sound), hertz);
}

function mix(sound) {
  const mono = new Float32Array(sound.length);
  for (let channel = 0; channel < sound.numberOfChannels; channel += 1) {
    const samples = sound.getChannelData(channel);
    for (let at = 0; at < mono.length; at += 1) mono[at] += samples[at] / sound.numberOfChannels;
  }
  return mono;
}

/** RIFF WAVE with a 16-byte `fmt ` chunk. */
export function encode(samples, rate) {
  const bytes = new DataView(new ArrayBuffer(44 + samples.length * 2));
  const text = (at, word) => [...word].forEach((letter, index) => bytes.setUint8(at + index, letter.charCodeAt(0)));
  text(0, "RIFF");
  bytes.setUint32(4, 36 + samples.length * 2, true);
  text(8, "WAVEfmt ");
  bytes.setUint32(16, 16, true);
  bytes.setUint16(20, 1, true);
  bytes.setUint16(22, 1, true);
  bytes.setUint32(24, rate, true);
  bytes.setUint32(28, rate * 2, true);
  bytes.setUint16(32, 2, true);
  bytes.setUint16(34, 16, true);
  text(36, "data");
  bytes.setUint32(40, samples.length * 2, true);
  for (let at = 0; at < samples.length; at += 1) {
    const sample = Math.max(-1, Math.min(1, samples[at]));
    bytes.setInt16(44 + at * 2, Math.round(sample * 32_767), true);
  }
  return new Blob([bytes.buffer], { type: "audio/wav" });
}
