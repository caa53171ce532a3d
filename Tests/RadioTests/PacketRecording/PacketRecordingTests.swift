import Bluetooth
import Foundation
import Testing

@testable import PacketLog
@testable import PacketRecording
@testable import TestSupport

@Suite(.timeLimit(.minutes(30))) struct PacketRecordingTests {
  private static let controllers: [MonitorMessage] = [
    .presence(MonitorOpcode.newIndex), .presence(MonitorOpcode.openIndex),
  ]

  private func log(_ path: String) throws -> RecordedLog { RecordedLog(try PacketLogFile.open(path: path)) }

  /// Records the packets that are available, and stops.
  private func record(
    _ messages: [MonitorMessage], to path: String, _ options: RecordingOptions
  ) async throws -> RecordingTally {
    let source = try LoopbackChannel()
    let recorder = try PacketRecorder(source.channel, to: path, options: options)
    for message in messages { try source.send(message) }
    return try await ended(recorder)
  }

  /// Runs a recorder that is already asked to stop. It records the packets that have arrived by then.
  private func ended(_ recorder: PacketRecorder) async throws -> RecordingTally {
    let run = Task { try await recorder.run() }
    run.cancel()
    return try await run.value
  }

  @Test func `a recording is read back unchanged, with the kernel's times`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("strap.btsnoop")
    let messages =
      Self.controllers + [
        .connected(0x40, to: .strap), .notification(on: 0x40), .connected(0x41, to: .stranger),
      ]
    let before = Date.now.timeIntervalSince1970
    let tally = try await record(messages, to: path, RecordingOptions(.straps([.strap])))
    let after = Date.now.timeIntervalSince1970
    let log = try log(path)
    #expect(log.damage == nil && log.entries.map(\.bytes) == messages.dropLast().map(\.packet))
    #expect(tally.seen == 5 && tally.recorded == 4 && tally.dropped == 0 && tally.files == 1)
    for entry in log.entries {
      let time = Double(entry.record.time.microsecondsSince1970) / 1e6
      #expect(before - 0.001 <= time && time <= after + 0.001)
    }
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func `recorded packets are in the file while the recording continues`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("strap.btsnoop")
    let source = try LoopbackChannel()
    let recorder = try PacketRecorder(source.channel, to: path, options: RecordingOptions(.everything))
    let run = Task { try await recorder.run() }
    for count in 1...5 {
      try source.send(.notification(on: 0x40))
      #expect(try await eventually { try log(path).entries.count == count })
    }
    run.cancel()
    #expect(try await run.value.recorded == 5)
  }

  @Test func `straps that are enrolled in the meantime are recorded`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("strap.btsnoop")
    let source = try LoopbackChannel()
    let recorder = try PacketRecorder(source.channel, to: path, options: RecordingOptions(.straps([])))
    let run = Task { try await recorder.run() }
    recorder.record([.strap])
    // Send until the recorder's thread has handled the enrollment. Until then, the link is of an unknown
    // device and is not recorded.
    #expect(
      try await eventually {
        try source.send(.connected(0x40, to: .strap))
        return try log(path).entries.count > 0
      })
    run.cancel()
    _ = try await run.value
  }

  @Test func `keys are in the log only if they are requested`() async throws {
    let folder = try TemporaryFolder()
    let key = [UInt8](repeating: 0xC7, count: 16)
    let encryption = MonitorMessage.command([0x1A, 0x20, 18, 0x40, 0x00] + key)
    for keepsKeys in [false, true] {
      let path = folder.path("\(keepsKeys).btsnoop")
      _ = try await record([encryption], to: path, RecordingOptions(.everything, keepsKeys: keepsKeys))
      let bytes = try Data(contentsOf: URL(filePath: path))
      #expect((bytes.range(of: Data(key)) != nil) == keepsKeys)
    }
  }

  @Test func `packets that the kernel dropped are counted, and the log has their position`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("strap.btsnoop")
    let source = try LoopbackChannel(queueLength: 4096)
    let recorder = try PacketRecorder(source.channel, to: path, options: RecordingOptions(.everything))
    let sent = 500
    for _ in 0..<sent { try source.send(.notification(on: 0x40)) }
    let tally = try await ended(recorder)
    #expect(tally.dropped > 0 && tally.seen + Int(tally.dropped) == sent)
    let log = try log(path)
    #expect(log.contents.filter { $0 == .lost(controller: nil) }.count == 1)
    #expect(log.entries.count == tally.recorded + 1)
  }

  @Test func `an existing file of any kind is never overwritten`() throws {
    let folder = try TemporaryFolder()
    let source = try LoopbackChannel()
    let path = try folder.file("there.btsnoop", [1, 2, 3])
    let other = folder.path("elsewhere")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link.btsnoop"), withDestinationPath: other)
    for path in [path, folder.path("link.btsnoop")] {
      let error = #expect(throws: PacketLogError.self) {
        try PacketRecorder(source.channel, to: path, options: RecordingOptions(.everything))
      }
      #expect(error?.code == .io(EEXIST))
    }
    #expect(try Array(Data(contentsOf: URL(filePath: path))) == [1, 2, 3])
    #expect(!FileManager.default.fileExists(atPath: other))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 2)
  }

  @Test func `a rotated recording is complete in its parts, which are sorted and continue each other`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path("gym.btsnoop")
    let options = RecordingOptions(.everything, rotation: LogRotation(size: 400))
    let notifications = (0..<40).map { MonitorMessage.notification(on: 0x40, at: Int64($0)) }
    let first = try await record(Self.controllers + notifications, to: path, options)
    let second = try await record(Self.controllers + notifications, to: path, options)
    #expect(first.files > 3 && second.files == first.files)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    #expect(names.first == "gym-000001.btsnoop" && names.count == first.files + second.files)
    var bytes: [[UInt8]] = []
    for name in names {
      let log = try log(folder.path(name))
      #expect(log.damage == nil)
      // Each file of a rotated log begins with the controllers that exist.
      #expect(log.contents.prefix(2) == [.controllerReset(0), .controllerReset(0)], "\(name)")
      bytes += log.entries.dropFirst(2).map(\.bytes)
    }
    #expect(bytes == (notifications + notifications).map(\.packet))
  }

  @Test func `a part that begins during a link contains its peer`() async throws {
    let folder = try TemporaryFolder()
    let options = RecordingOptions(.everything, rotation: LogRotation(size: 1000))
    let notifications = (0..<40).map { MonitorMessage.notification(on: 0x40, at: Int64($0)) }
    let messages =
      Self.controllers + [.connected(0x40, to: .strap), .connected(0x41, to: .stranger)] + notifications
      + [.disconnected(0x40)] + (0..<20).map { MonitorMessage.notification(on: 0x41, at: Int64($0)) }
    let tally = try await record(messages, to: folder.path("gym.btsnoop"), options)
    let peers: [BluetoothAddress] = [.strap, .stranger]
    let beginnings = zip([0x40, 0x41] as [UInt16], peers).map { MonitorMessage.connected($0, to: $1).packet }
    let links = try (2...tally.files).map { number in
      let part = try log(folder.path("gym-00000\(number).btsnoop"))
      return part.entries.prefix(6).count { beginnings.contains($0.bytes) }
    }
    #expect(tally.files < 10 && tally.recorded == messages.count)
    #expect(links.first == 2 && links.last == 1)
  }

  @Test func `after a loss the packets of a handle are not attributed to the strap`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("strap.btsnoop")
    let source = try LoopbackChannel(queueLength: 4096)
    let recorder = try PacketRecorder(source.channel, to: path, options: RecordingOptions(.straps([.strap])))
    try source.send(.connected(0x40, to: .strap))
    // The queue is too short: the end of this link, and another device's link, may be among the dropped
    // packets.
    for _ in 0..<500 { try source.send(.notification(on: 0x40)) }
    let run = Task { try await recorder.run() }
    #expect(try await eventually { try log(path).entries.count > 1 })
    // Send until the socket's queue has space again. Before, packets are dropped.
    #expect(
      try await eventually {
        try source.send(.connected(0x41, to: .strap))
        let beginning = MonitorMessage.connected(0x41, to: .strap).packet
        return try log(path).entries.contains { $0.bytes == beginning }
      })
    let before = try log(path).entries.count { $0.bytes == MonitorMessage.notification(on: 0x40).packet }
    try source.send(.notification(on: 0x40))
    try source.send(.disconnected(0x41))
    #expect(
      try await eventually {
        try log(path).entries.contains { $0.bytes == MonitorMessage.disconnected(0x41).packet }
      })
    run.cancel()
    #expect(try await run.value.dropped > 0)
    let after = try log(path).entries.count { $0.bytes == MonitorMessage.notification(on: 0x40).packet }
    #expect(before > 0 && after == before)
  }

  @Test func `a log gets the requested owner`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("gym.btsnoop")
    // Only root can change the owner of a file. Other users can only keep it.
    let mine = FileOwner(user: getuid(), group: getgid())
    let owner = mine.user == 0 ? FileOwner(user: 65_534, group: 65_534) : mine
    var options = RecordingOptions(.everything, rotation: LogRotation(size: 400), owner: owner)
    let messages = (0..<20).map { MonitorMessage.notification(on: 0x40, at: Int64($0)) }
    let tally = try await record(messages, to: path, options)
    #expect(tally.files > 1)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name))
      #expect(attributes[.ownerAccountID] as? UInt32 == owner.user)
      #expect(attributes[.groupOwnerAccountID] as? UInt32 == owner.group)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
    guard getuid() != 0 else { return }
    options.owner = FileOwner(user: 0, group: 0)
    let source = try LoopbackChannel()
    let recorder = try PacketRecorder(source.channel, to: folder.path("other.btsnoop"), options: options)
    #expect(recorder.ownerRefusal?.code == .io(EPERM))
  }

  @Test func `a new file begins at the maximum size or age`() {
    #expect(LogRotation(size: 100).isDue(size: 100, age: .zero))
    #expect(!LogRotation(size: 100).isDue(size: 99, age: .seconds(99)))
    #expect(LogRotation(time: .seconds(5)).isDue(size: 0, age: .seconds(5)))
    #expect(!LogRotation(time: .seconds(5)).isDue(size: 1 << 40, age: .seconds(4)))
  }

  @Test func `foreign datagrams are ignored`() async throws {
    let folder = try TemporaryFolder()
    let source = try LoopbackChannel()
    let recorder = try PacketRecorder(
      source.channel, to: folder.path("l.btsnoop"), options: RecordingOptions(.everything))
    try source.send([1, 2, 3])
    try source.send([3, 0, 0, 0, 9, 0, 1])
    try source.send(.notification(on: 0x40))
    let tally = try await ended(recorder)
    #expect(tally.seen == 3 && tally.recorded == 1)
  }
}
