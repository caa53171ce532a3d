import FuzzDriver

/// What a bus could send: how it begins, and frames. They are cut in the same way however they come, and what
/// is taken for a change that came before, libdbus reads as that.
@main
enum FuzzWire {
  static func main() { fuzz(test) }
}

private func test(_ bytes: [UInt8]) {
  _ = try? ServerAddress.list(String(decoding: bytes, as: UTF8.self))
  var authentication = Authentication(user: 1000, guid: nil)
  _ = bytes.first { (try? authentication.receive($0)) != false }
  _ = MessageHeader(frame: bytes.span.bytes)
  let (frames, isSound) = cut(bytes, by: bytes.count + 1)
  let inPieces = cut(bytes, by: 1 + Int(bytes.first ?? 0) % 40)
  precondition(frames == inPieces.frames && isSound == inPieces.isSound)
  read(frames)
}

private func cut(_ bytes: [UInt8], by most: Int) -> (frames: [[UInt8]], isSound: Bool) {
  var buffer = FrameBuffer()
  var frames: [[UInt8]] = []
  var rest = bytes[...]
  while !rest.isEmpty {
    let taken = buffer.fill { room in
      let count = min(most, rest.count, room.count)
      room.copyBytes(from: rest.prefix(count))
      return (count, filled: count)
    }
    rest = rest.dropFirst(taken)
    do {
      while let frame = try buffer.nextFrame() { frames.append(Array(buffer.octets[frame])) }
    } catch {
      return (frames, false)
    }
  }
  return (frames, true)
}

private func read(_ frames: [[UInt8]]) {
  var patterns: [RepeatedChange] = []
  for frame in frames {
    let signal = signal(frame)
    for pattern in patterns {
      guard let octets = pattern.value(in: frame.span.bytes) else { continue }
      let expected = Signal(pattern, frame.span.bytes.extracting(octets), arrival)
      precondition(signal?.sender == expected.sender && signal?.path == expected.path)
      precondition(signal?.interface == expected.interface && signal?.member == expected.member)
      precondition(signal?.body == expected.body)
    }
    if let signal, let pattern = RepeatedChange(frame: frame.span.bytes, signal) { patterns.append(pattern) }
  }
}

private let arrival = Arrival(order: 0, boottimeNanoseconds: 0)

/// As libdbus reads it.
private func signal(_ frame: [UInt8]) -> Signal? {
  var signal: Signal?
  try? IncomingMessage.decode(frame.span.bytes, arrival) { message in
    guard let message, case .signal = message.kind, let path = message.path, let member = message.member,
      let interface = message.interface, let body = try? message.body()
    else { return }
    signal = Signal(
      sender: message.sender, path: path, interface: interface, member: member, body: body, arrival: arrival)
  }
  return signal
}
