import Testing

@testable import HealthStorage

/// Tests SHA-256 with NIST's examples of FIPS 180-4.
@Suite struct SHA256Tests {
  private func digest(_ message: [UInt8]) -> String {
    message.withUnsafeBytes { message in
      SHA256.withDigest(of: message) { digest in
        digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      }
    }
  }

  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
    ),
  ])
  func `digests match the standard's examples`(_ message: String, expected: String) {
    #expect(digest(Array(message.utf8)) == expected)
  }

  @Test func `messages may have any length`() {
    #expect(
      digest([UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000))
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  @Test func `threads can compute digests concurrently`() async {
    let digests = await withTaskGroup(of: String.self) { group in
      for _ in 0..<64 { group.addTask { digest(Array("abc".utf8)) } }
      return await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(digests == ["ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"])
  }
}
