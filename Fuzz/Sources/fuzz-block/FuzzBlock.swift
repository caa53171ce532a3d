import FuzzDriver
import PackedSamples

/// Decodes the input as a segment of packed samples, and as a batch of an earlier schema: unchanged, and with
/// a corrected checksum.
///
/// Decoded values must survive encoding and decoding.
@main
enum FuzzBlock {
  static func main() { fuzz(test) }
}

private func test(_ bytes: [UInt8]) {
  decode(bytes)
  // Also decode the input with a valid checksum, because decoding stops early at a wrong one.
  decode(PackedBlock.sealed(bytes))
  decode(PackedBlock.sealed([1] + bytes))
  decodeBatch(bytes)
  decodeBatch(PackedBlock.sealed(bytes))
  decodeBatch(PackedBlock.sealed([1] + bytes))
}

private func decodeBatch(_ bytes: [UInt8]) {
  guard let batch = try? PackedBatch(bytes) else { return }
  precondition(batch.parts.reduce(0) { $0 + $1.block.count } <= bytes.count)
  for part in batch.parts { decode(part.block) }
}

private func decode(_ bytes: [UInt8]) {
  let block: SampleBlock
  do {
    block = try SampleBlock(decoding: bytes)
  } catch {
    precondition(!error.description.isEmpty)
    return
  }
  precondition(block.count > 0 && block.count <= SampleBlock.capacity)
  do {
    let again = try SampleBlock(decoding: block.encoded())
    precondition(again.isIdentical(to: block))
    // Reading each column separately must return the same values.
    let columns = try PackedBlock(bytes)
    let (starts, changes) = (try columns.starts(), try columns.changes())
    precondition(starts == block.starts && changes == block.changes)
  } catch {
    fatalError("a block that decodes does not encode: \(error)")
  }
}
