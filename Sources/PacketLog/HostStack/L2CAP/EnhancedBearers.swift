import Bluetooth

/// The channels of Enhanced ATT bearers (EATT) on one link.
///
/// They are known from the requests and responses on the signaling channel (Core Specification, Vol 3, Part
/// A, §4.25 and §4.26). Frames of these channels are counted but not decoded.
struct EnhancedBearers: Sendable {
  /// The SPSM of Enhanced ATT (Assigned Numbers).
  private static let service: UInt16 = 0x0027
  private static let connectionRequest: UInt8 = 0x17
  private static let connectionResponse: UInt8 = 0x18
  /// Maximum number of remembered channels, which is the number of dynamic channels on an LE link.
  private static let capacity = 64

  private var channels: [UInt16] = []
  /// Identifiers of requests that have not been answered yet.
  private var requests: [UInt8] = []

  /// Handles a frame of a channel other than the attribute channel, or the first fragment of one.
  ///
  /// - Parameter frame: The frame including its L2CAP header.
  /// - Returns: The kind of traffic that is not decoded, or `nil` for fixed channels.
  mutating func observe(_ frame: RawSpan) -> UnreadTraffic? {
    guard let channel = frame.uint16LE(at: 2) else { return nil }
    if channel == L2CAP.signalingChannel { observeSignal(frame) }
    guard L2CAP.dynamicChannels.contains(channel) else { return nil }
    return channels.contains(channel) ? .enhancedAttributeFrame : .channelFrame
  }

  /// Returns whether an EATT frame contains a notification or indication.
  ///
  /// In the first frame of a service data unit, the opcode follows the unit's length.
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

  /// Adds the sender's channel numbers, which follow after 12 bytes in requests and responses.
  private mutating func addChannels(_ command: RawSpan) {
    for offset in stride(from: 12, to: command.byteCount - 1, by: 2) {
      guard let channel = command.uint16LE(at: offset), !channels.contains(channel),
        channels.count < Self.capacity
      else { continue }
      channels.append(channel)
    }
  }
}
