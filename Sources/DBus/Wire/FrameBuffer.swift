/// What was read and not handed on yet, cut into frames: one message each, header and body. D-Bus
/// specification, "Message Format".
///
/// Looks at what it needs to cut, and bounds it. Whether a frame is a message is for libdbus to say.
struct FrameBuffer {
  static let longestMessage = 128 << 20
  /// The header's fields are an array too.
  static let longestArray = 64 << 20
  /// A longer message is kept only where somebody wants it: any program may send us one.
  static let usualMessage = 1 << 20
  /// By so much of a frame it is known who wants it. The fields of a header take some hundred octets.
  static let longestHead = 64 << 10
  /// Where the fields of the header begin; so much says how long the frame is.
  static let fixedHeader = 16

  /// What is read at once, where no frame is longer.
  private static let usualRoom = 16 << 10

  /// Those from `start` to `end` wait.
  private(set) var octets: [UInt8] = []
  private var start = 0
  private var end = 0
  /// So much is still to come of a frame that nobody wants.
  private var unwanted = 0
  /// The frame that comes is long, and wanted.
  private var isWanted = false

  var isEmpty: Bool { start == end }

  /// Calls `read` with room for more.
  ///
  /// - Parameter read: returns what it came to, and how much of the room it filled.
  mutating func fill<Outcome>(_ read: (UnsafeMutableRawBufferPointer) -> (Outcome, filled: Int)) -> Outcome {
    makeRoom()
    let (outcome, filled) = octets.withUnsafeMutableBytes { all in
      read(UnsafeMutableRawBufferPointer(rebasing: all[end...]))
    }
    end += filled
    return outcome
  }

  /// Takes one octet out.
  mutating func nextOctet() -> UInt8? {
    guard start < end else { return nil }
    defer { start += 1 }
    return octets[start]
  }

  /// Takes one frame out: where it lies in `octets`, until there is more room made.
  ///
  /// - Parameter wants: whether a frame of more than `usualMessage` is to be kept, by its beginning: the
  ///   header, or `longestHead` of it. Asked once for each; one that is not wanted is passed over as it
  ///   comes.
  /// - Returns: nil where not all of it has come.
  /// - Throws: `BusError` with `.disconnected` for what is no frame: what follows it cannot be found.
  mutating func nextFrame(
    wants: (RawSpan) -> Bool = { _ in true }
  ) throws(BusError) -> Range<Int>? {
    while true {
      passOver()
      guard end - start >= Self.fixedHeader else { return nil }
      let (head, length) = try Self.lengths(of: octets[start..<end])
      if length > Self.usualMessage, !isWanted {
        let enough = min(head, Self.longestHead)
        guard end - start >= enough else { return nil }
        isWanted = wants(octets.span.bytes.extracting(start..<start + enough))
        guard isWanted else {
          unwanted = length
          continue
        }
      }
      guard end - start >= length else { return nil }
      isWanted = false
      defer { start += length }
      return start..<start + length
    }
  }

  private mutating func passOver() {
    let count = min(unwanted, end - start)
    unwanted -= count
    start += count
  }

  /// How long the frame is that begins like this.
  static func length(of head: ArraySlice<UInt8>) throws(BusError) -> Int { try lengths(of: head).frame }

  /// How long its header is, and all of it.
  private static func lengths(of head: ArraySlice<UInt8>) throws(BusError) -> (head: Int, frame: Int) {
    let order = head[head.startIndex]
    guard order == UInt8(ascii: "l") || order == UInt8(ascii: "B") else {
      throw fault("in the byte order \(order)")
    }
    func number(_ offset: Int) -> Int {
      let four = head[(head.startIndex + offset)..<(head.startIndex + offset + 4)]
      let value = four.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      return Int(order == UInt8(ascii: "l") ? value.byteSwapped : value)
    }
    guard head[head.startIndex + 3] == 1 else {
      throw fault("of version \(head[head.startIndex + 3]) of the protocol")
    }
    let body = number(4)
    let fields = number(12)
    // The body begins at a multiple of eight.
    let length = (fixedHeader + fields + 7) & ~7 + body
    guard fields <= longestArray, length <= longestMessage else { throw fault("of \(length) octets") }
    return (fixedHeader + fields, length)
  }

  private static func fault(_ what: String) -> BusError {
    BusError(.disconnected, "the bus sent a message \(what), which none may have")
  }

  /// What a peer claims to send is not made room for before it has sent as much: the room doubles.
  private mutating func makeRoom() {
    if isEmpty {
      start = 0
      end = 0
      if octets.count != Self.usualRoom { octets = [UInt8](repeating: 0, count: Self.usualRoom) }
    } else if end == octets.count, start > 0 {
      octets.replaceSubrange(..<(end - start), with: octets[start..<end])
      end -= start
      start = 0
    } else if end == octets.count {
      octets += [UInt8](repeating: 0, count: octets.count)
    }
  }
}
