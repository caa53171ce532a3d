import Glibc
import Testing

/// Tests the example recorder as a user sees it. The permission sheet is answered in a second terminal.
@Suite(.serialized) struct RecorderTests {
  private let machine: ExampleMachine
  private let application = "org.hrgate.example.recorder"

  init() throws { machine = try ExampleMachine() }

  /// Starts a recorder and grants it permission to save.
  private func permittedRecorder() throws -> PseudoTerminal {
    let recorder = try machine.start("HeartRateRecorder")
    try recorder.wait(for: "Waiting for your permission")
    try machine.answer("y")
    try recorder.wait(for: "Ready to record")
    return recorder
  }

  @Test func `it asks when it becomes active, and the sheet shows its name and reason`() throws {
    let recorder = try machine.start("HeartRateRecorder")
    try recorder.wait(for: "Waiting for your permission")
    let sheet = try machine.sheet()
    #expect(sheet.transcript.contains("HeartRateRecorder (org.hrgate.example.recorder)"))
    let shown = try sheet.wait(for: "[c]ancel")
    #expect(shown.contains("To save: heartRate"))
    #expect(shown.contains("To keep the heart rates that you type."))
    #expect(!shown.contains("To read"))
    sheet.type("y")
    #expect(try sheet.waitForEnd() == 0)
    try recorder.wait(for: "Ready to record")
    #expect(!recorder.transcript.contains("Not authorized"))
  }

  @Test func `a heart rate is stored with the sensor location and the recorder's name`() throws {
    let recorder = try permittedRecorder()
    recorder.type("72")
    try recorder.wait(for: "Stored 72 BPM")
    let samples = try machine.hrgate("samples", "--type", "heartRate", "--json")
    #expect(samples.contains(#""name":"HeartRateRecorder""#))
    #expect(samples.contains("HKHeartRateSensorLocation"))
    #expect(samples.contains(#""value":72"#))
  }

  @Test func `a compatible unit is converted, and another is rejected`() throws {
    let recorder = try permittedRecorder()
    recorder.type("1.25 Hz")
    try recorder.wait(for: "Stored 75 BPM")
    recorder.type("72 kg")
    try recorder.wait(for: "Units must be compatible with BPM")
    for (typed, answer) in [
      ("72 beats", "no unit"), ("-3", "no heart rate"), ("nan", "no heart rate"), ("", "no heart rate"),
    ] {
      recorder.type(typed)
      try recorder.wait(for: answer)
    }
    recorder.type("60")
    try recorder.wait(for: "Stored 60 BPM")
    #expect(
      try machine.hrgate("samples", "--type", "heartRate", "--json").split(separator: "\r\n").count == 2)
  }

  @Test func `a denial disables it`() throws {
    let recorder = try machine.start("HeartRateRecorder")
    try recorder.wait(for: "Waiting for your permission")
    try machine.answer("n", "n")
    try recorder.wait(for: "Not authorized to store data.")
    recorder.type("72")
    try recorder.wait(for: "Not stored")
    #expect(try !machine.hrgate("samples", "--type", "heartRate").contains("72"))
  }

  @Test func `a cancelled sheet leaves it disabled, and it asks again`() throws {
    let recorder = try machine.start("HeartRateRecorder")
    try recorder.wait(for: "Waiting for your permission")
    try machine.answer("c")
    try recorder.wait(for: "Not authorized to store data.")
    try recorder.wait(for: "canceled")
    recorder.type("72")
    try recorder.wait(for: "Not stored")
    try machine.answer("y")
    try recorder.wait(for: "Ready to record")
  }

  @Test func `after permission is revoked, the next save disables it`() throws {
    let recorder = try permittedRecorder()
    recorder.type("72")
    try recorder.wait(for: "Stored 72 BPM")
    _ = try machine.hrgate("permissions", "deny", application, "--type", "heartRate", "--share")
    recorder.type("73")
    try recorder.wait(for: "Not authorized to store data.")
    _ = try machine.hrgate("permissions", "grant", application, "--type", "heartRate", "--share")
    recorder.type("74")
    try recorder.wait(for: "Ready to record")
    try recorder.wait(for: "Stored 74 BPM")
    #expect(
      try machine.hrgate("samples", "--type", "heartRate", "--json").split(separator: "\r\n").count == 2)
  }

  @Test func `permission revoked in the background is noticed when it becomes active`() throws {
    let recorder = try permittedRecorder()
    recorder.send(SIGSTOP)
    _ = try machine.hrgate("permissions", "deny", application, "--type", "heartRate", "--share")
    recorder.send(SIGCONT)
    try recorder.wait(for: "Not authorized to store data.")
    // The recorder still reads input, and does not store it.
    recorder.type("72")
    try recorder.wait(for: "Not stored")
  }

  @Test(arguments: ["C", "D"] as [Character])
  func `Ctrl-C and Ctrl-D end it without an error and withdraw an unanswered request`(key: Character) throws {
    let recorder = try machine.start("HeartRateRecorder")
    try recorder.wait(for: "Waiting for your permission")
    recorder.control(key)
    #expect(try recorder.waitForEnd() == 0)
    #expect(try machine.hrgate("permissions", "ask").contains("no application is waiting"))
  }

  @Test(arguments: ["C", "D"] as [Character])
  func `Ctrl-C and Ctrl-D end it without an error while it records`(key: Character) throws {
    let recorder = try permittedRecorder()
    recorder.type("72")
    try recorder.wait(for: "Stored 72 BPM")
    recorder.control(key)
    #expect(try recorder.waitForEnd() == 0)
  }

  @Test func `its lines fit into 80 columns`() throws {
    let recorder = try permittedRecorder()
    for typed in ["72", "72 kg", "seventy", "72 beats"] { recorder.type(typed) }
    recorder.control("D")
    #expect(try recorder.waitForEnd() == 0)
    for line in recorder.transcript.split(separator: "\r\n") { #expect(line.count <= 80, "\(line)") }
  }
}
