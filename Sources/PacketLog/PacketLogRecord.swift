public import Bluetooth

/// One record of a packet log: what it carries, when it was recorded, and where it stands in the file.
///
/// The carried octets are not part of it; a reader lends them beside the record for the length of one call.
public struct PacketLogRecord: Sendable, Equatable {
  public enum Content: Sendable, Equatable {
    /// An HCI packet without the packet indicator octet of the UART transport. `direction` is `nil` where the
    /// container states none and the packet type does not decide it.
    case hci(HCIPacketType, direction: HCIDirection?, controller: UInt16)
    /// A packet from the air: access address (4 bytes), PDU (header, length, payload), and the CRC (3 bytes) if
    /// the sniffer did not check it (`reception.crc == .unknown`).
    case linkLayer(LinkLayerReception)
    /// The recorder says that packets were dropped before the record that follows. A reader delivers it as a
    /// record of its own without octets, at the offset of the record that told of the loss, so it is not one
    /// of the log's records and should not be counted as one. `nil`: any controller of the log.
    case lost(controller: UInt16?)
    /// The controller appeared, vanished, opened or closed: each of its connections has ended.
    case controllerReset(UInt16)
    /// Another section of the log begins: one of pcapng, or a log that was appended to the one before. It may
    /// go on with the recording before it, or be another. Without bytes, and like `lost` not one of the log's
    /// records.
    case section
    /// A record that carries none of these: vendor diagnostics, notes, a link type without Bluetooth.
    case other
  }

  /// The capture interface of a record, in containers that have several.
  public struct Interface: Hashable, Sendable {
    /// Its number in the section.
    public var number: UInt32
    /// Stands for its name: equal within the log for equal names, and 0 for no name.
    public var name: UInt32

    public init(number: UInt32 = 0, name: UInt32 = 0) {
      self.number = number
      self.name = name
    }
  }

  public var content: Content
  public var interface = Interface()
  /// When the recorder got the packet.
  public var time: ReceiptTime
  /// Where the record begins, in octets from the beginning of the log.
  public var offset: Int64
  /// The recorder kept fewer bytes of the packet than were sent (a snap length).
  public var isTruncated: Bool
  /// The log says when that was. Where it does not, ``time`` is that of the record before, or counted from
  /// 1970-01-01 on.
  public var hasWallTime = true

  public init(content: Content, time: ReceiptTime, offset: Int64 = 0, isTruncated: Bool = false) {
    self.content = content
    self.time = time
    self.offset = offset
    self.isTruncated = isTruncated
  }
}
