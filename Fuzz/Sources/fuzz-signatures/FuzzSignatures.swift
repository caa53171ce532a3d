import FuzzDriver

/// Reads the input as a signature, as a signed record, and as changes to a valid record.
///
/// No input may contain a valid signature of a key that was created for this run. A record that can be read
/// must survive writing and reading.
@main
enum FuzzSignatures {
  static func main() {
    let sound = soundRecord()
    guard let key = try? P256PrivateKey().publicKey else { preconditionFailure("no key can be created") }
    fuzz { bytes in
      if let message = try? SignedDataMessage(derEncoded: bytes) {
        precondition((try? message.verify(message.content ?? sound, with: key)) == nil)
        if let content = message.content { test(content) }
      }
      test(bytes)
      test(damaged(sound, by: bytes))
    }
  }
}

private func soundRecord() -> [UInt8] {
  guard let start = UTCInstant(text: "20250102030405.25Z"), let end = UTCInstant(text: "20250102030406Z"),
    let record = try? SignedRecord(
      type: "HKQuantityTypeIdentifierHeartRate", value: .quantity(72.5, unit: "count/min"), start: start,
      end: end)
  else { preconditionFailure("a sound record is refused") }
  return record.derEncoded
}

/// Returns the record with some bytes replaced. Each pair of input bytes is an offset and the byte to write
/// there.
private func damaged(_ record: [UInt8], by input: [UInt8]) -> [UInt8] {
  var record = record
  for place in stride(from: 0, to: input.count - 1, by: 2) {
    record[Int(input[place]) % record.count] = input[place + 1]
  }
  return record
}

private func test(_ content: [UInt8]) {
  guard let record = try? SignedRecord(derEncoded: content) else { return }
  guard let again = try? SignedRecord(derEncoded: record.derEncoded) else {
    preconditionFailure("\(record) is encoded as an invalid record")
  }
  precondition(again == record)
}
