import Glibc
import LibFuzzer

/// Decodes the input as what a store's columns hold; what decodes must encode to something that decodes to the same.
@main
enum FuzzStore {
  static func main() {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(
      LLVMFuzzerRunDriver(&count, &arguments) { start, count in
        test(Array(UnsafeBufferPointer(start: start, count: count)))
        return 0
      })
  }
}

private func test(_ bytes: [UInt8]) {
  if let values = MetadataCodec.decode(bytes) {
    // Encoding is deterministic, and NaN equals nothing, so octets are compared.
    let encoded = MetadataCodec.encode(values)
    precondition(MetadataCodec.decode(encoded).map(MetadataCodec.encode) == encoded)
  }
  if let beats = HeartbeatCodec.decode(bytes) {
    let again = HeartbeatCodec.decode(HeartbeatCodec.encode(beats)) ?? []
    precondition(again.count == beats.count)
    for (one, other) in zip(again, beats) {
      precondition(
        one.offset.bitPattern == other.offset.bitPattern && one.precededByGap == other.precededByGap)
    }
  }
}
