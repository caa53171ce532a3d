import Bluetooth

/// The channels of one link that were opened as enhanced attribute bearers (EATT), by the requests and
/// responses of the signaling channel (Core Specification, Vol 3, Part A, §4.25 and §4.26). Frames on them are
/// counted and not read.
struct EnhancedBearers: Sendable {
  /// The service number that asks for an enhanced attribute bearer (Assigned Numbers, SPSM).
  private static let service: UInt16 = 0x0027
  private static let connectionRequest: UInt8 = 0x17
  private static let connectionResponse: UInt8 = 0x18
  /// Maximum number of channels that are remembered; there are as many dynamic channels on an LE link.
  private static let capacity = 64

  private var channels: [UInt16] = []
  /// Identifiers of requests that have no response yet.
  private var requests: [UInt8] = []

  /// Takes a frame of a channel other than the attribute channel, or its first fragment.
  ///
  /// - Parameter frame: From the L2CAP header on.
  /// - Returns: What is not read; `nil` for the fixed channels.
  mutating func observe(_ frame: RawSpan) -> UnreadTraffic? {
    guard let channel = frame.uint16LE(at: 2) else { return nil }
    if channel == L2CAP.signalingChannel { observeSignal(frame) }
    guard L2CAP.dynamicChannels.contains(channel) else { return nil }
    return channels.contains(channel) ? .enhancedAttributeFrame : .channelFrame
  }

  /// Whether a frame of such a channel holds a value that its sender pushes: the opcode follows the length of
  /// the service data unit, if the frame is the first of one.
  static func isPush(_ frame: RawSpan) -> Bool {
    switch frame.uint8(at: FrameReassembly.headerLength + 2).flatMap(ATTOpcode.init(rawValue:)) {
    case .handleValueNotification, .handleValueIndication, .multipleHandleValueNotification: true
    default: false
    }
  }

  private mutating func observeSignal(_ frame: RawSpan) {
    let command = frame.extracting(droppingFirst: FrameReassembly.headerLength)
    guard let code = command.uint8(at: 0), let identifier = command.uint8(at: 1) else { return }
    switch code {
    case Self.connectionRequest where command.uint16LE(at: 4) == Self.service:
      if requests.count < Self.capacity { requests.append(identifier) }
      addChannels(command)
    case Self.connectionResponse:
      guard let index = requests.firstIndex(of: identifier) else { return }
      requests.remove(at: index)
      addChannels(command)
    default: break
    }
  }

  /// Request and response end alike: with the sender's channels, behind eight bytes of other fields.
  private mutating func addChannels(_ command: RawSpan) {
    for offset in stride(from: 12, to: command.byteCount - 1, by: 2) {
      guard let channel = command.uint16LE(at: offset), !channels.contains(channel),
        channels.count < Self.capacity
      else { continue }
      channels.append(channel)
    }
  }
}
