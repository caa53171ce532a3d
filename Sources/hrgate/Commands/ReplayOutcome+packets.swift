import Bluetooth
import Ingestion
import PacketLog
import PacketReplay

// Notices about packets that could not be read.
extension ReplayOutcome {
  /// Whether the log contains packets that could not be read, and no readable measurement.
  var isUnreadable: Bool {
    let readable = division.tally.measurements - division.tally.rejected[.truncated, default: 0]
    guard readable == 0, failure == nil, !replay.wasStopped else { return false }
    return replay.truncatedDataPackets > 0
      || unreadPeers.contains { peer, counts in
        counts.encryptedPDUs > 0 || (counts.enhancedAttributeFrames > 0 && measuringPeers.contains(peer))
      }
  }

  /// Peers that are heart-rate monitors according to the log.
  private var measuringPeers: Set<PeripheralIdentity> {
    replay.heartRatePeers.union(division.tally.monitors.map(\.peripheral))
  }

  /// The heart-rate monitors with packets that were not decoded; all peers with such packets, if the log
  /// names no monitor.
  var unreadPeers: [(peer: PeripheralIdentity, counts: UnreadCounts)] {
    let measuring = measuringPeers
    return replay.unread.filter { measuring.isEmpty || measuring.contains($0.key) }
      .map { (peer: $0.key, counts: $0.value) }
      .sorted { ($1.counts.total, $0.peer.description) < ($0.counts.total, $1.peer.description) }
  }

  /// Notices about packets that are truncated or were not decoded.
  var packetNotices: [String] {
    var notices: [String] = []
    if let truncated { notices.append("\(name): \(truncated)") }
    notices += unreadPeers.prefix(Self.maximumLines).map { "\(name): \($1.sentence(of: $0))" }
    return notices
  }

  private var truncated: String? {
    let count = replay.truncatedRecords
    guard count > 0 else { return nil }
    let records = Counted.text(replay.records, "record")
    let truncated = "\(count) of \(records) \(count == 1 ? "has" : "have") only the beginning of the packet"
    let loss: String
    if isUnreadable {
      loss = "no heart rate could be read"
    } else if replay.truncatedMeasurements > 0 {
      loss = "RR intervals and possibly heart rates are missing; no heartbeat series continues across them"
    } else {
      return "\(truncated); all measurements that were read are complete"
    }
    let advice = replay.format.map { "; to record complete packets: \($0.wholePackets)" } ?? ""
    return "\(truncated): \(loss)\(advice)"
  }
}

extension PacketLogFormat {
  /// How to record complete packets in this format.
  fileprivate var wholePackets: String {
    switch self {
    case .btsnoopH1, .btsnoopH4, .btsnooz:
      "set Android's developer option \"Enable Bluetooth HCI snoop log\" to Enabled, not Filtered, and turn "
        + "Bluetooth off and on again; on Linux, btmon -w FILE"
    case .btsnoopMonitor, .monitorStream: "btmon -w FILE"
    case .pcap, .pcapng: "tshark -s 0 -w FILE (editcap -s truncates packets, too)"
    case .hciDump: "btmon -w FILE, or hcidump -s 65535 -w FILE"
    case .packetLogger: "PacketLogger, without a packet length limit"
    }
  }
}

extension UnreadCounts {
  /// Whether the packets that were not decoded may contain measurements.
  fileprivate var hidesMeasurements: Bool { enhancedAttributeFrames > 0 || encryptedPDUs > 0 }

  fileprivate var total: Int { byName.values.reduce(0, +) }

  fileprivate func sentence(of peer: PeripheralIdentity) -> String {
    let parts: [(count: Int, noun: String, rest: String)] = [
      (encryptedPDUs, "packet", " that is encrypted"),
      (enhancedAttributeFrames, "frame", " of enhanced attribute bearers (EATT)"),
      (channelFrames, "frame", " of other channels"),
      (unknownOpcodes, "attribute PDU", " with unknown opcode"),
    ]
    let text = parts.filter { $0.count > 0 }.map { part in
      Counted.text(part.count, part.noun)
        + (part.count == 1 ? part.rest : part.rest.replacing(" that is ", with: " that are "))
    }
    var sentence = "\(peer): hrgate cannot read \(text.joined(separator: ", "))"
    if hidesMeasurements { sentence += "; their heart rates are missing" }
    if encryptedPDUs > 0 {
      sentence +=
        ": give the sniffer the long-term key, capture the pairing, or record on the host with btmon -w FILE"
    } else if enhancedAttributeFrames > 0 {
      sentence += ": to disable EATT, set Channels = 1 below [GATT] in /etc/bluetooth/main.conf"
    }
    return sentence
  }
}
