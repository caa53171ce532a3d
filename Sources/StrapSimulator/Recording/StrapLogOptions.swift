internal import PacketLog

/// Where a session is recorded, and in how many files.
public struct StrapLogOptions: Hashable, Sendable {
  /// Who records.
  public enum Recorder: Hashable, Sendable {
    /// The host that the straps are connected to: btsnoop 2001, as btmon writes it.
    case host
    /// The first strap's own host, which holds what it sends: btsnoop 2001.
    case strap
    /// A sniffer: pcap with link type 256 (LE link layer with a pseudo-header).
    ///
    /// - Parameter lostAcknowledgements: The share of what straps send, from 0 to 1, that they send twice
    ///   because they did not hear its acknowledgement.
    case air(lostAcknowledgements: Double)
  }

  public var recorder = Recorder.host
  /// After how long a new file begins. The files stand beside each other, numbered before the extension, and
  /// are named by ``part(_:of:)``.
  public var rotation: Duration?

  public init(recorder: Recorder = .host, rotation: Duration? = nil) {
    self.recorder = recorder
    self.rotation = rotation
  }

  /// The path of a part of a rotated log, the first of which is number 1: `gym-002.btsnoop` of `gym.btsnoop`.
  public static func part(_ number: Int, of path: String) -> String {
    NumberedLog.path(number, of: path, digits: 3)
  }
}
