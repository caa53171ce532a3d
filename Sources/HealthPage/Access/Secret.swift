/// A secret of 32 random bytes, as hexadecimal digits.
struct Secret: Sendable {
  let text: String

  init() {
    var generator = SystemRandomNumberGenerator()
    text = (0..<4).map { _ in
      let digits = String(generator.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Returns whether a text is the secret. The comparison takes constant time, so timing reveals nothing.
  func matches(_ guess: String) -> Bool {
    let (own, other) = (Array(text.utf8), Array(guess.utf8))
    guard own.count == other.count else { return false }
    return zip(own, other).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
