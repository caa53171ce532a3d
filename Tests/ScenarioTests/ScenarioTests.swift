import Foundation
import Testing

/// Runs the selected scenarios of `scripts/bluez-vm`: the program in a virtual machine with a real bluetoothd
/// and virtual straps. Each scenario is a test.
///
/// An emulated machine has one processor and waits most of the time, so one machine per core can run.
@Suite(.enabled(if: VirtualMachine.isThere, "skipped: QEMU is not installed (scripts/install --for-tests)"))
struct ScenarioTests {
  private static let lanes = Lanes(ProcessInfo.processInfo.activeProcessorCount)

  @Test(arguments: VirtualMachine.chosen)
  func `scenario`(_ scenario: VirtualMachine.Scenario) async throws {
    let name = scenario.name
    let result = try await Self.lanes.run { try await VirtualMachine.run(scenario) }
    if let why = result.missingKernel {
      // A test with a canceled case does not report the reason. scripts/test counts lines like this one.
      FileHandle.standardError.write(Data("➜ Scenario \(name) skipped: \(why)\n".utf8))
      try Test.cancel("skipped: \(why)")
    }
    print("scenario \(name), \(result.seconds) s:\n\(result.lastLines)")
    #expect(result.status == 0, "\(result.lastLines)")
  }

  @Test func `HRGATE_SCENARIOS is the name of a set`() {
    #expect(VirtualMachine.Extent.asked != nil, "HRGATE_SCENARIOS is not one of check, every, all")
  }

  @Test func `each scenario has a set`() {
    #expect(VirtualMachine.scenarios.filter { $0.extent == nil }.map(\.name) == [])
    #expect(VirtualMachine.scenarios.count { $0.extent == .check } == 2)
    // Each slow scenario must exist. A scenario that was deleted by mistake would still be in the list of
    // slow ones.
    #expect(Set(VirtualMachine.slow).subtracting(VirtualMachine.scenarios.map(\.name)) == [])
  }

  @Test func `the Python code of the harness passes its tests`() async throws {
    let result = try await VirtualMachine.python("unittest", "discover", "-s", "scripts/bluez-vm/tests")
    #expect(result.status == 0, "\(result.lastLines)")
  }

  @Test func `the Python code of the scripted bluetoothd passes its tests`() async throws {
    let result = try await VirtualMachine.python("unittest", "discover", "-s", "Tests/BlueZTests/Support")
    #expect(result.status == 0, "\(result.lastLines)")
  }
}

/// Limits the number of scenarios that run at the same time. The others wait without blocking a thread.
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
