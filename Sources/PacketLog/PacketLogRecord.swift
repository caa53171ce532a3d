public import Bluetooth

/// A record of a packet log: its content, time, and offset.
///
/// The bytes are not part of the record. A reader passes them along with it for the duration of one call.
public struct PacketLogRecord: Sendable, Equatable {
  /// What a record contains.
  public enum Content: Sendable, Equatable {
    /// An HCI packet without the packet indicator of the UART transport. `direction` is `nil` if neither the
    /// log nor the packet type determines it.
    case hci(HCIPacketType, direction: HCIDirection?, controller: UInt16)
    /// A packet from the air: access address (4 bytes), PDU (header, length, payload), and the CRC (3 bytes)
    /// if the sniffer did not check it (`reception.crc == .unknown`).
    case linkLayer(LinkLayerReception)
    /// The recorder dropped packets before the next record.
    ///
    /// A reader delivers this as an extra record without bytes, with the offset of the record that contains
    /// this information. Do not count it as a record of the log. `controller` is `nil` if it may be any of
    /// them.
    case lost(controller: UInt16?)
    /// The controller was added, removed, opened, or closed. All its connections have ended.
    case controllerReset(UInt16)
    /// A pcapng section or an appended log starts. It may continue the previous recording.
    ///
    /// Like `lost`, this has no bytes, and should not be counted as a record.
    case section
    /// A record that is not a Bluetooth packet: vendor diagnostics, text messages, or another link type.
    case other
  }

  /// The capture interface of a record, for formats that have several.
  public struct Interface: Hashable, Sendable {
    /// The number of the interface in its section.
    public var number: UInt32
    /// A number for the interface's name. Within a log, equal names have the same number; 0 means no name.
    public var name: UInt32

    public init(number: UInt32 = 0, name: UInt32 = 0) {
      self.number = number
      self.name = name
    }
  }

  /// What the record contains.
  public var content: Content
  /// The capture interface. In formats without interfaces, it has number 0 and no name.
  public var interface = Interface()
  /// The time when the recorder received the packet.
  public var time: ReceiptTime
  /// The offset of the record in the log, in bytes.
  public var offset: Int64
  /// Whether the recorder stored only the beginning of the packet.
  public var isTruncated: Bool
  /// Whether the log contains the wall-clock time of the record. If not, ``time`` is that of the previous
  /// record, or is counted from 1970-01-01.
  public var hasWallTime = true

  public init(content: Content, time: ReceiptTime, offset: Int64 = 0, isTruncated: Bool = false) {
    self.content = content
    self.time = time
    self.offset = offset
    self.isTruncated = isTruncated
  }
}

extension HCIPacketType {
  /// The direction of packets of this type; `nil` if they are sent in both directions (Core Specification,
  /// Vol 4, Part E, §5.4).
  @inline(__always)
  var onlyDirection: HCIDirection? {
    switch self {
    case .command: .hostToController
    case .event: .controllerToHost
    case .aclData, .synchronousData, .isochronousData: nil
    }
  }
}
