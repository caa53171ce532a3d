import Bluetooth
import PacketLog

/// A packet to write into any container: the content that a reader must return, and its bytes.
struct LoggedPacket: Equatable {
  var content: PacketLogRecord.Content
  var time: ReceiptTime
  var bytes: [UInt8]
  /// The length of the original packet, if the recorder truncated it.
  var originalLength: Int?

  init(
    _ content: PacketLogRecord.Content, at microseconds: Int64, _ bytes: [UInt8], originalLength: Int? = nil
  ) {
    self.content = content
    time = ReceiptTime(microsecondsSince1970: microseconds)
    self.bytes = bytes
    self.originalLength = originalLength
  }
}

extension PacketLogRecord.Content {
  static func command(controller: UInt16 = 0) -> Self {
    .hci(.command, direction: .hostToController, controller: controller)
  }

  static func event(controller: UInt16 = 0) -> Self {
    .hci(.event, direction: .controllerToHost, controller: controller)
  }

  static func aclSent(controller: UInt16 = 0) -> Self {
    .hci(.aclData, direction: .hostToController, controller: controller)
  }

  static func aclReceived(controller: UInt16 = 0) -> Self {
    .hci(.aclData, direction: .controllerToHost, controller: controller)
  }
}
