import Bluetooth
import FuzzDriver
import PacketLog

/// Observes the traffic of the input: a packet log, or otherwise a sequence of packets, each after a byte for
/// its type and a byte for its length. Every link must start once and end once.
@main
enum FuzzHostStack {
  static func main() {
    fuzz { bytes in
      var traffic = Traffic()
      traffic.observe(bytes)
    }
  }
}

private struct Traffic {
  private var hci = HCIObserver()
  private var linkLayer = LinkLayerObserver()
  private var time = ReceiptTime(microsecondsSince1970: 0)

  mutating func observe(_ bytes: [UInt8]) {
    if var reader = try? PacketLogFile.open(bytes: bytes) {
      observe(&reader)
    } else {
      observePackets(bytes)
    }
  }

  private mutating func observe(_ reader: inout any PacketLogReader) {
    var links = LinkInvariants()
    var airLinks = LinkInvariants()
    while (try? reader.readRecord { record, payload in
      switch record.content {
      case .hci(let type, let direction, let controller):
        hci.observe(payload, type: type, direction: direction, controller: controller) { links.check($0) }
      case .linkLayer(let reception):
        linkLayer.observe(payload, reception: reception, time: record.time) { airLinks.check($0) }
      case .controllerReset(let controller):
        hci.observeController(controller, payload, isRestated: false) { links.check($0) }
      case .lost:
        hci.lostPackets()
      case .section:
        hci.beginSection { links.check($0) }
      case .other:
        break
      }
    }) == true {}
  }

  private mutating func observePackets(_ bytes: [UInt8]) {
    var links = LinkInvariants()
    var airLinks = LinkInvariants()
    var offset = 0
    while offset + 2 <= bytes.count {
      let kind = bytes[offset]
      let end = min(bytes.count, offset + 2 + Int(bytes[offset + 1]))
      let packet = Array(bytes[(offset + 2)..<end])
      offset = end
      time.microsecondsSince1970 &+= 10_000
      let direction: HCIDirection? =
        kind & 0x80 == 0 ? nil : kind & 0x40 == 0 ? .hostToController : .controllerToHost
      if let type = HCIPacketType(rawValue: kind & 0x07) {
        hci.observe(
          packet.span.bytes, type: type, direction: direction, controller: UInt16(kind >> 3 & 1)
        ) { links.check($0) }
      } else if kind & 0x07 == 6 {
        hci.lostPackets()
      } else {
        let reception = LinkLayerReception(
          crc: kind & 0x08 == 0 ? .valid : .unknown,
          sender: kind & 0x10 == 0 ? nil : kind & 0x20 == 0 ? .central : .peripheral,
          isDecrypted: kind & 0x40 != 0)
        linkLayer.observe(packet.span.bytes, reception: reception, time: time) { airLinks.check($0) }
      }
    }
  }
}

/// Checks that a link is reported before its events, and that no event follows its end.
private struct LinkInvariants {
  private var open: Set<UInt32> = []

  mutating func check(_ event: HostEvent) {
    switch event {
    case .connected(let link):
      precondition(open.insert(link.id).inserted)
    case .disconnected(let link, _):
      precondition(open.remove(link.id) != nil)
    case .attributeRead(let link, _, _, let value), .notified(let link, _, _, let value):
      precondition(open.contains(link.id) && value.count <= 65_535)
    case .notifiedInPart(let link, _, _, let value, let length):
      precondition(open.contains(link.id) && value.count <= 65_535 && length >= 0)
    case .subscribed(let link, _, _), .declared(let link, _, _), .repeated(let link, _, _),
      .incomplete(let link):
      precondition(open.contains(link.id))
    case .named, .unread, .anomaly:
      break
    }
  }
}
