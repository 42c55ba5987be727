/* fv_volumes_maps.h - the maps over all cells, volumes, face parts and walls near bodies. Their
 * functions are in fv_volumes_find.h, _cut.h, _link.h, _faces.h and _walls.h. The text of trees
 * calls these functions too, and has no use for the maps. */

/* ---- cells ------------------------------------------------------------------------------- */

/* An item has a row along x. */
TRM_GROUP_KERNEL5(fv_volumes_mark, TRM_NO_SHARED, fv_volumes_params, TRM_RO(real) shapes,
                  TRM_RO(int) tables, TRM_RO(int) leaves, TRM_RW(int) flags, TRM_RW(int) kinds)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index first = ((trm_index)group * TRM_GROUP + lane) * p.side[0];
    if (first < FV_ALL_CELLS(p)) {
      int row[3];
      fv_cell_place(p, leaves, first, row);
      fv_mark_row(p, shapes, tables, row, flags + first);
      fv_fill_row(p, shapes, tables, row, flags + first, kinds + first);
    }
  }
}

/* An item has a row along x. flags, kinds: of mark. */
TRM_GROUP_KERNEL4(fv_volumes_ring, TRM_NO_SHARED, fv_volumes_params, TRM_RO(int) beside,
                  TRM_RO(int) flags, TRM_RO(int) kinds, TRM_RW(int) listed)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const int first = (group * TRM_GROUP + lane) * p.side[0], last = p.side[0] - 1;
    if (first < FV_ALL_CELLS(p)) {
      int other[FV_CELL_SIDES];
      for (int side = 0; side < FV_CELL_SIDES; side++)
        other[side] =
            fv_cell_beside(p, beside, side == 1 ? first + last : first, side / 2, side % 2);
      for (int x = 0; x <= last; x++) {
        int is_near = x == 0 ? other[0] >= 0 && flags[other[0]] : flags[first + x - 1];
        is_near |= x == last ? other[1] >= 0 && flags[other[1]] : flags[first + x + 1];
        for (int side = 2; side < FV_CELL_SIDES; side++)
          is_near |= other[side] >= 0 && flags[other[side] + x];
        const int is_gas = !flags[first + x] && kinds[first + x] == FV_FOUND_GAS;
        listed[first + x] = flags[first + x] || (is_gas && (is_near || p.is_whole));
      }
    }
  }
}

TRM_GROUP_KERNEL7(fv_volumes_find, TRM_NO_SHARED, fv_volumes_params, TRM_RO(real) shapes,
                  TRM_RO(int) tables, TRM_RO(int) leaves, TRM_RO(int) list, TRM_RO(int) flags,
                  TRM_RW(int) kinds, TRM_RW(int) found)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index k = (trm_index)group * TRM_GROUP + lane;
    if (k < p.listed) {
      TRM_OUT(int) own = found + k * FV_FOUND_INTS;
      int cell[3], kind = FV_FOUND_GAS;
      own[0] = -1;
      own[1] = 0;
      fv_cell_place(p, leaves, list[k], cell);
      if (flags[list[k]]) kind = fv_find_cell(p, shapes, tables, cell, own);
      kinds[list[k]] = kind + 8 * (int)k;
    }
  }
}

/* flags: one for each listed cell. The list of these (trm_compact) has the cells of trees. */
TRM_GROUP_KERNEL3(fv_volumes_trees, TRM_NO_SHARED, fv_volumes_params, TRM_RO(int) list,
                  TRM_RO(int) kinds, TRM_RW(int) flags)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index k = (trm_index)group * TRM_GROUP + lane;
    if (k < p.listed) flags[k] = FV_FOUND_KIND(kinds[list[k]]) == FV_FOUND_TREE;
  }
}

/* An item has the ends of a cell, or one of its upper faces: there are four for each. Cells of
 * other kinds than PLANE, CONVEX and HOLLOW keep their numbers. was, was_gas: kinds and gas of the
 * step before, if there is one. */
TRM_GROUP_KERNEL9(fv_volumes_cut, TRM_NO_SHARED, fv_volumes_params, TRM_RO(real) shapes,
                  TRM_RO(int) tables, TRM_RO(int) leaves, TRM_RO(int) list, TRM_RO(int) kinds,
                  TRM_RO(int) found, TRM_RO(int) was, TRM_RO(real) was_gas, TRM_RW(real) gas)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index item = (trm_index)group * TRM_GROUP + lane, k = item / FV_CUT_ITEMS;
    const int axis = (int)(item % FV_CUT_ITEMS) - 1;
    const int kind = k < p.listed ? FV_FOUND_KIND(kinds[list[k]]) : FV_FOUND_GAS;
    if (kind >= FV_FOUND_PLANE && kind <= FV_FOUND_HOLLOW && axis < FV_VOLUME_AXES) {
      const int before = p.follows ? was[list[k]] : FV_FOUND_TREE;
      const int first = axis < 0 ? 0 : FV_GAS_FACES + 4 * axis, count = axis < 0 ? 8 : 4;
      TRM_OUT(real) to = gas + k * FV_GAS_REALS;
      const fv_shape s = fv_shape_of(shapes, tables, found[k * FV_FOUND_INTS]);
      if (s.table[FV_SHAPE_KEEPS] && FV_FOUND_KIND(before) == kind) {
        TRM_IN(real) from = was_gas + FV_FOUND_PLACE(before) * FV_GAS_REALS;
        for (int i = first; i < first + count; i++) to[i] = from[i];
      } else {
        const int turns = fv_turns(s.own), rests = fv_rests(&s), is_known = axis < 0 && p.follows;
        fv_moments ends[2];
        fv_cut_cell cut;
        int cell[3];
        fv_cell_place(p, leaves, list[k], cell);
        fv_place_planes(&s, cell, kind, found + k * FV_FOUND_INTS, &cut);
        if (is_known) ends[0] = fv_gas_before(before, was_gas);
        fv_gas_at_ends(&cut, axis, turns, is_known, (axis < 0 ? !rests : turns) ? 2 : 1, ends);
        if (axis < 0) {
          fv_put_moments(&ends[0], to + FV_GAS_BEGIN);
          fv_put_moments(rests ? &ends[0] : &ends[1], to + FV_GAS_END);
        } else {
          const fv_moments m = turns ? fv_average_face(&ends[0], &ends[1]) : ends[0];
          fv_put_moments(&m, to + first);
        }
      }
    }
  }
}

/* ---- control volumes --------------------------------------------------------------------- */

/* parts: FV_FOUND_PLANES of each listed cell. flags: one for each part that is there. The list of
 * these (trm_compact) has the control volumes in order. */
TRM_GROUP_KERNEL8(fv_volumes_link, TRM_NO_SHARED, fv_volumes_params, TRM_RO(real) shapes,
                  TRM_RO(int) tables, TRM_RO(int) leaves, TRM_RO(int) list, TRM_RO(int) kinds,
                  TRM_RO(int) found, TRM_RW(int) parts, TRM_RW(int) flags)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index k = (trm_index)group * TRM_GROUP + lane;
    if (k < p.listed) {
      const int kind = FV_FOUND_KIND(kinds[list[k]]);
      TRM_IN(int) own = found + k * FV_FOUND_INTS;
      TRM_OUT(int) part = parts + k * FV_FOUND_PLANES;
      int count = kind != FV_FOUND_SOLID;
      for (int j = 0; j < FV_FOUND_PLANES; j++) part[j] = count - 1;
      if (kind == FV_FOUND_CONVEX) {
        const fv_shape s = fv_shape_of(shapes, tables, own[0]);
        fv_cut_cell cut;
        int cell[3], number[FV_FOUND_PLANES];
        fv_cell_place(p, leaves, list[k], cell);
        fv_place_planes(&s, cell, kind, own, &cut);
        count = fv_number_parts(&cut, fv_cell_cubes(fv_turns(s.own)), number);
        for (int j = 0; j < cut.planes; j++) part[j] = number[j];
      }
      for (int i = 0; i < FV_CELL_PARTS; i++) flags[k * FV_CELL_PARTS + i] = i < count;
    }
  }
}

/* volumes: the list of flags' places. numbers: of each flag's place, the control volume. A cell of
 * one part has its own gas; the tree's cells keep their reals. */
TRM_GROUP_KERNEL11(fv_volumes_number, TRM_NO_SHARED, fv_volumes_params, TRM_RO(real) shapes,
                   TRM_RO(int) tables, TRM_RO(int) leaves, TRM_RO(int) list, TRM_RO(int) kinds,
                   TRM_RO(int) found, TRM_RO(int) parts, TRM_RO(real) gas, TRM_RO(int) volumes,
                   TRM_RW(int) numbers, TRM_RW(real) to)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.volumes) {
      const int k = volumes[v] / FV_CELL_PARTS, kind = FV_FOUND_KIND(kinds[list[k]]);
      TRM_IN(int) own = found + k * FV_FOUND_INTS;
      TRM_IN(int) part = parts + k * FV_FOUND_PLANES;
      TRM_OUT(real) own_gas = to + v * FV_VOLUME_REALS;
      numbers[volumes[v]] = (int)v;
      if (kind == FV_FOUND_GAS) {
        for (int i = 0; i < FV_VOLUME_REALS; i++) own_gas[i] = i % 4 == 0 ? R(1.0) : R(0.0);
      } else if (kind == FV_FOUND_CONVEX && fv_is_parted(own[1], part)) {
        const fv_shape s = fv_shape_of(shapes, tables, own[0]);
        fv_cut_cell cut;
        int cell[3];
        fv_cell_place(p, leaves, list[k], cell);
        fv_place_planes(&s, cell, kind, own, &cut);
        fv_keep_part(&cut, part, volumes[v] % FV_CELL_PARTS);
        for (int end = 0; end < 2; end++) {
          const fv_moments m = fv_gas_in(&cut, end);
          fv_put_moments(&m, own_gas + 4 * end);
        }
      } else if (kind != FV_FOUND_TREE) {
        for (int i = 0; i < FV_VOLUME_REALS; i++) own_gas[i] = gas[k * FV_GAS_REALS + i];
      }
    }
  }
}

/* ---- face parts -------------------------------------------------------------------------- */

/* flags: FV_CELL_FACES of each listed cell. The list of these (trm_compact) has the face parts in
 * order. */
TRM_GROUP_KERNEL9(fv_volumes_faces, TRM_NO_SHARED, fv_volumes_params, TRM_RO(real) shapes,
                  TRM_RO(int) tables, TRM_RO(int) leaves, TRM_RO(int) beside, TRM_RO(int) list,
                  TRM_RO(int) kinds, TRM_RO(int) found, TRM_RO(real) gas, TRM_RW(int) flags)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index k = (trm_index)group * TRM_GROUP + lane;
    if (k < p.listed) {
      fv_sided s;
      fv_take_cell(p, shapes, tables, leaves, list, kinds, found, (int)k, &s);
      for (int axis = 0; axis < 3; axis++) {
        const int above = fv_cell_beside(p, beside, list[k], axis, 1);
        const int below = fv_cell_beside(p, beside, list[k], axis, 0);
        int count = 0;
        if (above >= 0 && FV_FOUND_KIND(kinds[above]) != FV_FOUND_SOLID)
          count = fv_count_face(&s, gas, axis);
        TRM_OUT(int) own = flags + k * FV_CELL_FACES;
        for (int i = 0; i < FV_FACE_PARTS; i++) own[axis * FV_FACE_PARTS + i] = i < count;
        own[FV_LOWER_FACES + axis] = s.kind != FV_FOUND_SOLID && below >= 0 &&
                                     kinds[below] == FV_FOUND_GAS &&
                                     !fv_is_listed(list, kinds, below);
      }
    }
  }
}

/* faces: the list of flags' places. joins: FV_JOIN_INTS of each face part. */
TRM_GROUP_KERNEL11(fv_volumes_join, TRM_NO_SHARED, fv_volumes_params, TRM_RO(real) shapes,
                   TRM_RO(int) tables, TRM_RO(int) leaves, TRM_RO(int) beside, TRM_RO(int) list,
                   TRM_RO(int) kinds, TRM_RO(int) found, TRM_RO(int) parts, TRM_RO(int) numbers,
                   TRM_RO(int) faces, TRM_RW(int) joins)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index f = (trm_index)group * TRM_GROUP + lane;
    if (f < p.faces) {
      const int k = faces[f] / FV_CELL_FACES, slot = faces[f] % FV_CELL_FACES;
      const int is_lower = slot >= FV_LOWER_FACES;
      const int axis = is_lower ? slot - FV_LOWER_FACES : slot / FV_FACE_PARTS;
      const int other = fv_cell_beside(p, beside, list[k], axis, !is_lower);
      const int above = fv_is_listed(list, kinds, other) ? FV_FOUND_PLACE(kinds[other]) : -1;
      const int high = is_lower ? k : above;
      int part[FV_FOUND_PLANES], low_part = 0, high_part = 0;
      fv_sided s, t;
      s.k = k;
      s.cut.planes = 0;
      const int is_high_parted =
          high >= 0 && fv_is_parted(FV_FOUND_PLANES, parts + high * FV_FOUND_PLANES);
      const int is_parted = fv_is_parted(FV_FOUND_PLANES, parts + k * FV_FOUND_PLANES);
      if (!is_lower && (is_high_parted || is_parted)) {
        fv_take_cell(p, shapes, tables, leaves, list, kinds, found, k, &s);
        if (s.cut.planes > 0) fv_number_parts(&s.cut, fv_face_cubes(axis, s.turns), part);
        for (int j = s.cut.planes - 1; j >= 0; j--)
          if (part[j] == slot % FV_FACE_PARTS) low_part = parts[k * FV_FOUND_PLANES + j];
      }
      if (is_high_parted) {
        fv_take_cell(p, shapes, tables, leaves, list, kinds, found, high, &t);
        high_part = fv_part_above(&t, parts + high * FV_FOUND_PLANES, &s, part,
                                  slot % FV_FACE_PARTS, axis);
      }
      TRM_OUT(int) to = joins + f * FV_JOIN_INTS;
      to[FV_JOIN_LOW] = is_lower ? -1 - other : numbers[k * FV_CELL_PARTS + low_part];
      to[FV_JOIN_HIGH] = high < 0 ? -1 - other : numbers[high * FV_CELL_PARTS + high_part];
      to[FV_JOIN_AXIS] = axis;
    }
  }
}

/* openings: FV_OPENING_REALS of each face part. A face of one part has the cell's own. */
TRM_GROUP_KERNEL9(fv_volumes_open, TRM_NO_SHARED, fv_volumes_params, TRM_RO(real) shapes,
                  TRM_RO(int) tables, TRM_RO(int) leaves, TRM_RO(int) list, TRM_RO(int) kinds,
                  TRM_RO(int) found, TRM_RO(real) gas, TRM_RO(int) faces, TRM_RW(real) openings)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index f = (trm_index)group * TRM_GROUP + lane;
    if (f < p.faces) {
      const int k = faces[f] / FV_CELL_FACES, slot = faces[f] % FV_CELL_FACES;
      const int axis = slot / FV_FACE_PARTS;
      TRM_OUT(real) to = openings + f * FV_OPENING_REALS;
      if (slot >= FV_LOWER_FACES || FV_FOUND_KIND(kinds[list[k]]) == FV_FOUND_GAS) {
        for (int i = 0; i < FV_OPENING_REALS; i++) to[i] = i == 0 ? R(1.0) : R(0.0);
      } else if (fv_is_alone(p, faces, f)) {
        TRM_IN(real) own = gas + k * FV_GAS_REALS + FV_GAS_FACES + 4 * axis;
        for (int i = 0; i < FV_OPENING_REALS; i++) to[i] = own[i];
      } else {
        int part[FV_FOUND_PLANES], planes = 0;
        fv_sided s;
        fv_take_cell(p, shapes, tables, leaves, list, kinds, found, k, &s);
        fv_number_parts(&s.cut, fv_face_cubes(axis, s.turns), part);
        for (int j = 0; j < s.cut.planes; j++)
          if (part[j] == slot % FV_FACE_PARTS) s.cut.plane[planes++] = s.cut.plane[j];
        s.cut.planes = planes;
        fv_moments ends[2];
        fv_gas_at_ends(&s.cut, axis, s.turns, 0, s.turns ? 2 : 1, ends);
        const fv_moments m = s.turns ? fv_average_face(&ends[0], &ends[1]) : ends[0];
        fv_put_moments(&m, to);
      }
    }
  }
}

TRM_GROUP_KERNEL1(fv_volumes_no_sides, TRM_NO_SHARED, fv_volumes_params, TRM_RW(int) sides)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index k = (trm_index)group * TRM_GROUP + lane;
    if (k < p.listed)
      for (int s = 0; s < FV_CELL_SIDES; s++) sides[k * FV_CELL_SIDES + s] = -1;
  }
}

/* The first face part of each side tells the side to the cells below and above it. */
TRM_GROUP_KERNEL5(fv_volumes_sides, TRM_NO_SHARED, fv_volumes_params, TRM_RO(int) beside,
                  TRM_RO(int) list, TRM_RO(int) kinds, TRM_RO(int) faces, TRM_RW(int) sides)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index f = (trm_index)group * TRM_GROUP + lane;
    const int own = f < p.faces ? fv_face_of(faces[f]) : -1;
    if (own >= 0 && (f == 0 || fv_face_of(faces[f - 1]) != own)) {
      const int k = own / 6, is_lower = own % 6 >= 3, axis = own % 3;
      int last = (int)f;
      while (last + 1 < p.faces && fv_face_of(faces[last + 1]) == own) last++;
      const int side = 8 * (int)f + last - (int)f;
      sides[k * FV_CELL_SIDES + 2 * axis + !is_lower] = side;
      if (!is_lower) {
        const int above = fv_cell_beside(p, beside, list[k], axis, 1);
        if (fv_is_listed(list, kinds, above))
          sides[FV_FOUND_PLACE(kinds[above]) * FV_CELL_SIDES + 2 * axis] = side;
      }
    }
  }
}

/* ---- walls ------------------------------------------------------------------------------- */

/* Whose wall each control volume has. In a cell that several bodies reach, it has several. */
TRM_GROUP_KERNEL6(fv_volumes_owners, TRM_NO_SHARED, fv_volumes_params, TRM_RO(int) beside,
                  TRM_RO(int) list, TRM_RO(int) kinds, TRM_RO(int) found, TRM_RO(int) volumes,
                  TRM_RW(int) bodies)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.volumes) {
      const int k = volumes[v] / FV_CELL_PARTS, part = volumes[v] % FV_CELL_PARTS;
      const int kind = FV_FOUND_KIND(kinds[list[k]]);
      TRM_IN(int) own = found + k * FV_FOUND_INTS;
      const int count = kind == FV_FOUND_TREE ? own[FV_FOUND_TREE_BODIES] : 0;
      const int has_room = (part + 1) * count <= FV_TREE_WALLS; /* else the step is refused */
      bodies[v] = !fv_is_closed(p, beside, list[k]) || !has_room ? FV_OPEN_WALL
                  : count > 1 ? FV_SEVERAL_OF(p.volumes + part * count +
                                                FV_TREE_WALLS * own[FV_FOUND_TREE_PLACE], count)
                  : kind >= FV_FOUND_PLANE ? own[0] : FV_NO_WALL;
    }
  }
}

/* A volume of several walls has, in place of its own one, what these miss. */
TRM_GROUP_KERNEL11(fv_volumes_walls, TRM_NO_SHARED, fv_volumes_params, TRM_RO(real) shapes,
                   TRM_RO(int) leaves, TRM_RO(int) list, TRM_RO(int) volumes, TRM_RO(real) gas,
                   TRM_RO(int) sides, TRM_RO(int) joins, TRM_RO(real) openings,
                   TRM_RO(int) bodies, TRM_RO(int) owners, TRM_RW(real) walls)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.volumes) {
      TRM_OUT(real) wall = walls + v * FV_WALL_REALS;
      const int body = bodies[v], first = FV_WALLS_FIRST(v, body);
      for (int i = 0; i < FV_WALL_REALS; i++) wall[i] = R(0.0);
      if (body >= 0 || body <= FV_SEVERAL_WALLS) {
        const int k = volumes[v] / FV_CELL_PARTS;
        TRM_IN(real) own = gas + v * FV_VOLUME_REALS;
        const fv_openings o = fv_openings_of(sides, joins, openings, (int)v, k);
        int cell[3];
        fv_cell_place(p, leaves, list[k], cell);
        if (body >= 0)
          fv_put_wall(shapes + body * FV_SHAPE_REALS, p.turns || p.gaps > 0, cell, &o,
                      own[FV_GAS_BEGIN], own[FV_GAS_END], wall);
        else
          fv_close_walls(shapes, owners + (trm_index)(first - p.volumes) * FV_OWNER_INTS, &o,
                         own[FV_GAS_END] - own[FV_GAS_BEGIN], p.turns || p.gaps > 0,
                         FV_WALLS_END(v, body) - first,
                         walls + (trm_index)first * FV_WALL_REALS, wall);
      }
    }
  }
}
