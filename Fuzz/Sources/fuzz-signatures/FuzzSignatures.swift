import FuzzDriver

/// Reads the input as a signature's message and as the record in one. A record that is read must be written as one that
/// reads as the same.
@main
enum FuzzSignatures {
  static func main() {
    fuzz { bytes in
      if let message = try? SignedDataMessage(derEncoded: bytes), let content = message.content {
        test(content)
      }
      test(bytes[...])
    }
  }
}

private func test(_ content: ArraySlice<UInt8>) {
  guard let record = try? SignedRecord(derEncoded: content) else { return }
  guard let written = try? record.derEncoded, let again = try? SignedRecord(derEncoded: written) else {
    preconditionFailure("\(record) is written as what is none")
  }
  precondition(again == record)
}
