import Bluetooth
import Testing

@testable import BlueZ

/// What is learned of a monitor that notifies each value more than once.
@Suite struct RepeatedValuesTests {
  /// What is noted of a monitor.
  private struct Notes {
    var values = RepeatedValues()
    var number: UInt8 = 0

    /// Notes one value so many times in a row, and other ones after and before.
    mutating func note(_ count: Int, isDivisor: Bool = false) {
      number = number == .max ? 1 : number + 1
      for _ in 0..<count { values.note([0, number]) }
      if isDivisor { values.noteDivisor() }
    }

    mutating func note(_ lengths: [Int]) { for length in lengths { note(length) } }
  }

  @Test(arguments: [2, 3, 4, 6]) func `values that come so many at a time are known after eight`(
    length: Int
  ) {
    var notes = Notes()
    // The first may have begun before, and the last goes on.
    notes.note([1] + [Int](repeating: length, count: 8))
    #expect(!notes.values.isKnown)
    notes.note(1)
    #expect(notes.values.isKnown)
  }

  @Test func `one of another length is made up for by eight`() {
    var notes = Notes()
    notes.note([1, 2, 2, 2, 3] + [Int](repeating: 2, count: 4))
    #expect(!notes.values.isKnown)
    notes.note([2, 2, 2])
    #expect(notes.values.isKnown)
    // And does not undo what is known.
    notes.note([Int](repeating: 2, count: 20) + [1, 2, 5, 2])
    #expect(notes.values.isKnown)
  }

  @Test func `a monitor that no longer repeats its values is known as that`() {
    var notes = Notes()
    notes.note([Int](repeating: 2, count: 40))
    #expect(notes.values.isKnown)
    notes.note([Int](repeating: 1, count: 10))
    #expect(!notes.values.isKnown)
  }

  @Test func `lengths that have nothing in common say nothing`() {
    var notes = Notes()
    notes.note((0..<50).flatMap { [1 + $0 % 3, 1, 2, 3] })
    #expect(!notes.values.isKnown)
  }

  @Test func `in doubt a length is not known`() {
    var notes = Notes()
    for _ in 0..<20 {
      notes.note([2, 2])
      notes.values.noteDoubt()
    }
    #expect(!notes.values.isKnown)
  }

  @Test func `a divisor of the lengths says as much as they, and another number nothing`() {
    var notes = Notes()
    for _ in 0..<8 { notes.note(2, isDivisor: true) }
    #expect(!notes.values.isKnown)
    notes.note(1)
    // The first was not known to be the first.
    notes.note([2, 2])
    #expect(notes.values.isKnown)
    for _ in 0..<12 { notes.note(1, isDivisor: true) }
    #expect(!notes.values.isKnown)
    notes.note([Int](repeating: 2, count: 8))
    #expect(notes.values.isKnown)
  }

  @Test func `a stretch in which the measure changed says nothing`() {
    var notes = Notes()
    for _ in 0..<20 {
      notes.note(1, isDivisor: true)
      notes.values.noteChange()
      notes.values.note([0, notes.number])
      notes.note(1, isDivisor: true)
    }
    #expect(!notes.values.isKnown)
    // Where nothing was uncertain, it is a length like others.
    for _ in 0..<9 {
      notes.note(1)
      notes.values.noteChange()
      notes.values.note([0, notes.number])
    }
    notes.note(1)
    #expect(notes.values.isKnown)
  }
}
