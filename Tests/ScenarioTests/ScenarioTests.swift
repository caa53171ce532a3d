import Foundation
import Testing

/// The program against a real bluetoothd with virtual straps, in the virtual machine of `scripts/bluez-vm`: one test for each of its scenarios.
///
/// An emulated machine wants a core, and its controller and straps another: where there are too few, bluetoothd and the straps come seconds
/// late, which no scenario is about.
@Suite(.enabled(if: VirtualMachine.isThere, "skipped: QEMU is not installed (scripts/install --for-tests)"))
struct ScenarioTests {
  private static let lanes = Lanes(max(1, ProcessInfo.processInfo.activeProcessorCount / 2))

  @Test(arguments: VirtualMachine.scenarios)
  func `scenario`(name: String) async throws {
    let result = try await Self.lanes.run { try await VirtualMachine.run(name) }
    if let why = result.missingKernel {
      // A test of which one case is cancelled says nothing of it; scripts/test counts lines like this one.
      FileHandle.standardError.write(Data("➜ Scenario \(name) skipped: \(why)\n".utf8))
      try Test.cancel("skipped: \(why)")
    }
    print("scenario \(name), \(result.seconds) s:\n\(result.lastLines)")
    #expect(result.status == 0, "\(result.lastLines)")
  }

  @Test func `the harness's own Python is tested`() async throws {
    let result = try await VirtualMachine.python("unittest", "discover", "-s", "scripts/bluez-vm/tests")
    #expect(result.status == 0, "\(result.lastLines)")
  }

  @Test func `the scripted bluetoothd's own Python is tested`() async throws {
    let result = try await VirtualMachine.python("unittest", "discover", "-s", "Tests/BlueZTests/Support")
    #expect(result.status == 0, "\(result.lastLines)")
  }
}

/// So many at a time; the others wait, without holding a thread.
private actor Lanes {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ count: Int) { free = count }

  func run<Value: Sendable>(_ body: @Sendable () async throws -> Value) async rethrows -> Value {
    if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
    defer { if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() } }
    return try await body()
  }
}
