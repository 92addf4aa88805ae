// Robots as their makers describe them, by the names, types and parents of their links and joints alone,
// and the end that a user of that arm would choose.
#pragma once

#include "dyn_core/math/types.hpp"

namespace dyn::test {

// A tree in one line. It begins with the root; TYPE:joint:link hangs a link on the one before it, where
// TYPE is R, C, P for a revolute, continuous or prismatic joint and -:link fixes one. [ … ] is a side
// branch, =joint at the end makes a mimic, and 7*R:joint#:link# stands for joint1 … joint7 in a row.
struct Arm {
  const char* name;
  const char* tree;
  const char* tip;
  Index dof;
};

inline constexpr Arm kArms[] = {
    {"Panda",
     "panda_link0 7*R:panda_joint#:panda_link# -:panda_link8 -:panda_hand [ -:panda_hand_tcp ] "
     "[ P:panda_finger_joint1:panda_leftfinger ] "
     "P:panda_finger_joint2:panda_rightfinger=panda_finger_joint1",
     "panda_link8", 7},
    {"Panda without its hand", "panda_link0 7*R:panda_joint#:panda_link# -:panda_link8",
     "panda_link8", 7},
    {"FR3",
     "base -:fr3_link0 [ -:fr3_link0_sc ] 7*R:fr3_joint#:fr3_link# [ -:fr3_link7_sc ] -:fr3_link8 "
     "-:fr3_hand [ -:fr3_hand_sc ] [ -:fr3_hand_tcp ] [ P:fr3_finger_joint1:fr3_leftfinger ] "
     "P:fr3_finger_joint2:fr3_rightfinger=fr3_finger_joint1",
     "fr3_link8", 7},
    {"two Pandas",
     "base [ -:panda_1_link0 7*R:panda_1_joint#:panda_1_link# -:panda_1_link8 -:panda_1_hand "
     "[ P:panda_1_finger_joint1:panda_1_leftfinger ] "
     "P:panda_1_finger_joint2:panda_1_rightfinger=panda_1_finger_joint1 ] "
     "-:panda_2_link0 7*R:panda_2_joint#:panda_2_link# -:panda_2_link8 -:panda_2_hand "
     "[ P:panda_2_finger_joint1:panda_2_leftfinger ] "
     "P:panda_2_finger_joint2:panda_2_rightfinger=panda_2_finger_joint1",
     "panda_1_link8", 7},
    {"Frankie",
     "panda_base0 R:panda_base_joint1:panda_base1 P:panda_base_joint2:panda_base_arm -:panda_link0 "
     "7*R:panda_joint#:panda_link# -:panda_link8 -:frankie_hand "
     "[ P:frankie_finger_joint1:frankie_leftfinger ] "
     "P:frankie_finger_joint2:frankie_rightfinger=frankie_finger_joint1",
     "panda_link8", 9},
    {"UR5",
     "world -:base_link [ R:shoulder_pan_joint:shoulder_link R:shoulder_lift_joint:upper_arm_link "
     "R:elbow_joint:forearm_link 3*R:wrist_#_joint:wrist_#_link [ -:ee_link ] -:tool0 ] -:base",
     "tool0", 6},
    {"UR5e",
     "world -:base_link [ -:base_link_inertia R:shoulder_pan_joint:shoulder_link "
     "R:shoulder_lift_joint:upper_arm_link R:elbow_joint:forearm_link "
     "3*R:wrist_#_joint:wrist_#_link "
     "[ -:ft_frame ] -:flange -:tool0 ] -:base",
     "tool0", 6},
    {"UR10e with a force-torque sensor only",
     "base_link R:shoulder_pan_joint:shoulder_link R:shoulder_lift_joint:upper_arm_link "
     "R:elbow_joint:forearm_link 3*R:wrist_#_joint:wrist_#_link -:ft_frame",
     "wrist_3_link", 6},
    {"UR5 with a Robotiq 2F-85",
     "base_link R:shoulder_pan_joint:shoulder_link R:shoulder_lift_joint:upper_arm_link "
     "R:elbow_joint:forearm_link 3*R:wrist_#_joint:wrist_#_link [ -:ee_link ] -:tool0 "
     "-:robotiq_arg2f_base_link [ R:finger_joint:left_outer_knuckle -:left_outer_finger "
     "R:left_inner_finger_joint:left_inner_finger=finger_joint ] "
     "[ R:left_inner_knuckle_joint:left_inner_knuckle=finger_joint ] "
     "[ R:right_inner_knuckle_joint:right_inner_knuckle=finger_joint ] "
     "R:right_outer_knuckle_joint:right_outer_knuckle=finger_joint",
     "tool0", 6},
    {"UR10e with a Shadow hand",
     "base_link R:shoulder_pan_joint:shoulder_link R:shoulder_lift_joint:upper_arm_link "
     "R:elbow_joint:forearm_link 3*R:wrist_#_joint:wrist_#_link -:rh_forearm R:rh_WRJ2:rh_wrist "
     "R:rh_WRJ1:rh_palm [ 4*R:rh_FFJ#:rh_ff# ] [ 4*R:rh_MFJ#:rh_mf# ] [ 4*R:rh_RFJ#:rh_rf# ] "
     "[ 5*R:rh_LFJ#:rh_lf# ] 5*R:rh_THJ#:rh_th#",
     "rh_palm", 8},
    {"Kinova Gen3",
     "base_link C:joint_1:shoulder_link R:joint_2:half_arm_1_link C:joint_3:half_arm_2_link "
     "R:joint_4:forearm_link C:joint_5:spherical_wrist_1_link R:joint_6:spherical_wrist_2_link "
     "C:joint_7:bracelet_link -:end_effector_link [ -:camera_link ] [ -:camera_depth_frame ] "
     "-:tool_frame",
     "end_effector_link", 7},
    {"Kinova Jaco j2n7s300",
     "world -:root -:base C:joint_1:link_1 R:joint_2:link_2 C:joint_3:link_3 R:joint_4:link_4 "
     "C:joint_5:link_5 C:joint_6:link_6 C:joint_7:link_7 [ -:j2n7s300_end_effector ] "
     "[ R:joint_finger_1:finger_1 R:joint_finger_tip_1:finger_tip_1 ] "
     "[ R:joint_finger_2:finger_2 R:joint_finger_tip_2:finger_tip_2 ] "
     "R:joint_finger_3:finger_3 R:joint_finger_tip_3:finger_tip_3",
     "j2n7s300_end_effector", 7},
    {"Kinova Mico m1n4s200",
     "world -:base C:joint_1:link_1 R:joint_2:link_2 R:joint_3:link_3 C:joint_4:link_4 "
     "[ -:m1n4s200_end_effector ] [ R:joint_finger_1:finger_1 R:joint_finger_tip_1:finger_tip_1 ] "
     "R:joint_finger_2:finger_2 R:joint_finger_tip_2:finger_tip_2",
     "m1n4s200_end_effector", 4},
    {"Kinova Movo",
     "base_link P:linear_joint:linear_actuator_link [ R:pan_joint:pan_link R:tilt_joint:tilt_link "
     "] "
     "[ -:right_base_link 7*R:right_joint_#:right_link_# -:right_ee_link -:right_gripper_base_link "
     "[ R:right_gripper_finger1_joint:right_gripper_finger1_knuckle_link ] "
     "R:right_gripper_finger2_joint:right_gripper_finger2_knuckle_link=right_gripper_finger1_joint "
     "] "
     "-:left_base_link 7*R:left_joint_#:left_link_# -:left_ee_link",
     "right_ee_link", 8},
    {"Fetch",
     "base_link [ C:r_wheel_joint:r_wheel_link ] [ C:l_wheel_joint:l_wheel_link ] "
     "P:torso_lift_joint:torso_lift_link [ R:head_pan_joint:head_pan_link "
     "R:head_tilt_joint:head_tilt_link -:head_camera_link ] R:shoulder_pan_joint:shoulder_pan_link "
     "R:shoulder_lift_joint:shoulder_lift_link C:upperarm_roll_joint:upperarm_roll_link "
     "R:elbow_flex_joint:elbow_flex_link C:forearm_roll_joint:forearm_roll_link "
     "R:wrist_flex_joint:wrist_flex_link C:wrist_roll_joint:wrist_roll_link -:gripper_link "
     "[ P:r_gripper_finger_joint:r_gripper_finger_link ] "
     "P:l_gripper_finger_joint:l_gripper_finger_link",
     "gripper_link", 8},
    {"PR2",
     "base_footprint -:base_link [ C:fl_caster_rotation_joint:fl_caster_rotation_link "
     "[ C:fl_caster_l_wheel_joint:fl_caster_l_wheel_link ] "
     "C:fl_caster_r_wheel_joint:fl_caster_r_wheel_link ] P:torso_lift_joint:torso_lift_link "
     "[ R:head_pan_joint:head_pan_link R:head_tilt_joint:head_tilt_link ] "
     "[ R:laser_tilt_mount_joint:laser_tilt_mount_link ] [ "
     "R:r_shoulder_pan_joint:r_shoulder_pan_link "
     "R:r_shoulder_lift_joint:r_shoulder_lift_link R:r_upper_arm_roll_joint:r_upper_arm_roll_link "
     "R:r_elbow_flex_joint:r_elbow_flex_link C:r_forearm_roll_joint:r_forearm_roll_link "
     "R:r_wrist_flex_joint:r_wrist_flex_link C:r_wrist_roll_joint:r_wrist_roll_link "
     "-:r_gripper_palm_link [ -:r_gripper_led_frame ] "
     "[ R:r_gripper_l_finger_joint:r_gripper_l_finger_link "
     "R:r_gripper_l_finger_tip_joint:r_gripper_l_finger_tip_link=r_gripper_l_finger_joint ] "
     "R:r_gripper_r_finger_joint:r_gripper_r_finger_link=r_gripper_l_finger_joint "
     "R:r_gripper_r_finger_tip_joint:r_gripper_r_finger_tip_link=r_gripper_l_finger_joint ] "
     "7*R:l_joint_#:l_link_# -:l_gripper_palm_link",
     "r_gripper_palm_link", 8},
    {"YuMi",
     "world -:yumi_base_link -:yumi_body [ 7*R:yumi_joint_#_r:yumi_link_#_r -:gripper_r_base "
     "[ P:gripper_r_joint:gripper_r_finger_r ] "
     "P:gripper_r_joint_m:gripper_r_finger_l=gripper_r_joint ] 7*R:yumi_joint_#_l:yumi_link_#_l "
     "-:gripper_l_base [ P:gripper_l_joint:gripper_l_finger_r ] "
     "P:gripper_l_joint_m:gripper_l_finger_l=gripper_l_joint",
     "gripper_r_base", 7},
    {"Interbotix PX150",
     "px150/base_link R:waist:px150/shoulder_link R:shoulder:px150/upper_arm_link "
     "R:elbow:px150/forearm_link R:wrist_angle:px150/wrist_link R:wrist_rotate:px150/gripper_link "
     "-:px150/ee_arm_link [ C:gripper:px150/gripper_prop_link ] -:px150/gripper_bar_link "
     "-:px150/fingers_link [ P:left_finger:px150/left_finger_link ] "
     "[ P:right_finger:px150/right_finger_link=left_finger ] -:px150/ee_gripper_link",
     "px150/ee_arm_link", 5},
    {"Interbotix VX300s",
     "vx300s/base_link R:waist:vx300s/shoulder_link R:shoulder:vx300s/upper_arm_link "
     "R:elbow:vx300s/upper_forearm_link R:forearm_roll:vx300s/lower_forearm_link "
     "R:wrist_angle:vx300s/wrist_link R:wrist_rotate:vx300s/gripper_link -:vx300s/ee_arm_link "
     "[ C:gripper:vx300s/gripper_prop_link ] -:vx300s/fingers_link "
     "[ P:left_finger:vx300s/left_finger_link ] "
     "P:right_finger:vx300s/right_finger_link=left_finger",
     "vx300s/ee_arm_link", 6},
    {"Unitree Z1", "world -:link00 6*R:joint#:link0# -:gripperStator R:jointGripper:gripperMover",
     "gripperStator", 6},
    {"KUKA LBR iiwa 14", "base_link [ 7*R:joint_a#:link_# -:tool0 ] -:base", "tool0", 7},
    {"KUKA iiwa 7 of a lab", "world -:iiwa_link_0 7*R:iiwa_joint_#:iiwa_link_# -:iiwa_link_ee",
     "iiwa_link_ee", 7},
    {"iiwa with an Allegro hand",
     "iiwa_link_0 7*R:iiwa_joint_#:iiwa_link_# -:palm [ 4*R:joint_0#:link_0# ] "
     "[ 4*R:joint_1#:link_1# ] [ 4*R:joint_2#:link_2# ] 4*R:joint_3#:link_3#",
     "palm", 7},
    {"TIAGo",
     "base_footprint -:base_link [ C:wheel_right_joint:wheel_right_link ] "
     "[ C:wheel_left_joint:wheel_left_link ] -:torso_fixed_link P:torso_lift_joint:torso_lift_link "
     "[ 2*R:head_#_joint:head_#_link -:xtion_link ] 7*R:arm_#_joint:arm_#_link -:arm_tool_link "
     "-:wrist_ft_link -:wrist_ft_tool_link [ -:hand_tool_link ] -:hand_palm_link "
     "[ R:hand_thumb_joint:hand_thumb_link ] [ R:hand_index_joint:hand_index_link ] "
     "[ 5*R:hand_thumb_#_joint:hand_thumb_#_link ] [ 7*R:hand_index_#_joint:hand_index_#_link ] "
     "[ 7*R:hand_middle_#_joint:hand_middle_#_link ] -:hand_grasping_frame",
     "arm_tool_link", 8},
    {"TIAGo dual",
     "base_footprint P:torso_lift_joint:torso_lift_link [ 2*R:head_#_joint:head_#_link ] "
     "[ 7*R:arm_left_#_joint:arm_left_#_link -:arm_left_tool_link ] "
     "7*R:arm_right_#_joint:arm_right_#_link -:arm_right_tool_link",
     "arm_left_tool_link", 8},
    {"xArm 6", "world -:link_base 6*R:joint#:link# -:link_eef", "link_eef", 6},
    {"xArm 7 with its gripper",
     "world -:link_base 7*R:joint#:link# -:link_eef -:xarm_gripper_base_link "
     "[ R:drive_joint:left_outer_knuckle R:left_finger_joint:left_finger=drive_joint ] "
     "[ R:left_inner_knuckle_joint:left_inner_knuckle=drive_joint ] "
     "[ R:right_outer_knuckle_joint:right_outer_knuckle=drive_joint "
     "R:right_finger_joint:right_finger=drive_joint ] "
     "[ R:right_inner_knuckle_joint:right_inner_knuckle=drive_joint ] -:link_tcp",
     "link_eef", 7},
    {"Sawyer",
     "base [ -:torso ] -:right_arm_base_link R:right_j0:right_l0 [ R:head_pan:head -:screen ] "
     "4*R:right_j#:right_l# [ -:right_arm_itb ] R:right_j5:right_l5 [ -:right_hand_camera ] "
     "[ -:right_wrist ] R:right_j6:right_l6 -:right_hand",
     "right_hand", 7},
    {"Baxter",
     "base -:torso [ R:head_pan:head ] [ -:right_arm_mount 7*R:right_#:right_link_# -:right_hand "
     "[ -:right_hand_camera ] -:right_gripper_base [ P:r_gripper_l_finger_joint:r_gripper_l_finger "
     "] "
     "[ P:r_gripper_r_finger_joint:r_gripper_r_finger=r_gripper_l_finger_joint ] -:right_gripper ] "
     "-:left_arm_mount 7*R:left_#:left_link_# -:left_hand",
     "right_gripper_base", 7},
    {"OpenArm with two arms",
     "world -:openarm_body_link0 [ -:openarm_left_link0 7*R:openarm_left_joint#:openarm_left_link# "
     "-:openarm_left_link8 -:openarm_left_hand [ -:openarm_left_hand_tcp ] "
     "[ P:openarm_left_finger_joint1:openarm_left_left_finger ] "
     "P:openarm_left_finger_joint2:openarm_left_right_finger=openarm_left_finger_joint1 ] "
     "-:openarm_right_link0 7*R:openarm_right_joint#:openarm_right_link# -:openarm_right_link8",
     "openarm_left_link8", 7},
    {"Dobot CR5", "dummy_link -:base_link 6*R:joint#:Link#", "Link6", 6},
    {"SO-100",
     "base R:shoulder_pan:shoulder R:shoulder_lift:upper_arm R:elbow_flex:lower_arm "
     "R:wrist_flex:wrist R:wrist_roll:gripper R:gripper:jaw",
     "gripper", 5},
    {"SO-101",
     "base_link R:shoulder_pan:shoulder_link R:shoulder_lift:upper_arm_link "
     "R:elbow_flex:lower_arm_link R:wrist_flex:wrist_link R:wrist_roll:gripper_link "
     "[ -:gripper_frame_link ] R:gripper:moving_jaw_so101_v1_link",
     "gripper_link", 5},
    {"ARX X5", "base_link 6*R:joint#:link# [ P:joint7:link7 ] P:joint8:link8", "link6", 6},
    {"LWA 4P with a PG 70",
     "world -:arm_base_link 6*R:arm_#_joint:arm_#_link -:pg70_palm_link "
     "[ P:pg70_finger_left_joint:pg70_finger_left_link ] "
     "P:pg70_finger_right_joint:pg70_finger_right_link=pg70_finger_left_joint",
     "pg70_palm_link", 6},
    {"Talos' left arm",
     "base_link 2*R:torso_#_joint:torso_#_link 7*R:arm_left_#_joint:arm_left_#_link "
     "-:wrist_left_ft_link -:wrist_left_ft_tool_link -:gripper_left_base_link "
     "[ R:gripper_left_joint:gripper_left_motor_double_link ] "
     "[ R:gripper_left_inner_double_joint:gripper_left_inner_double_link=gripper_left_joint ] "
     "R:gripper_left_motor_single_joint:gripper_left_motor_single_link=gripper_left_joint",
     "gripper_left_base_link", 9},
    {"Romeo",
     "body [ 6*R:LLeg#:LLegLink# -:l_sole ] [ 6*R:RLeg#:RLegLink# -:r_sole ] R:TrunkYaw:torso "
     "[ 4*R:Head#:HeadLink# ] [ 6*R:LArm#:LArmLink# R:LWristPitch:l_wrist [ -:l_gripper ] "
     "[ R:LHand:LFinger11Link R:LFinger12:LFinger12Link=LHand ] "
     "R:LFinger21:LFinger21Link=LHand ] 7*R:RArm#:RArmLink#",
     "l_wrist", 8},
    {"Valkyrie",
     "pelvis 3*R:torso#:torsoLink# [ 3*R:neck#:neckLink# ] 7*R:rightArm#:rightArmLink# -:rightPalm "
     "[ 4*R:rightThumb#:rightThumbLink# ] [ 3*R:rightIndexFinger#:rightIndexFingerLink# ] "
     "[ 3*R:rightMiddleFinger#:rightMiddleFingerLink# ] 3*R:rightPinky#:rightPinkyLink#",
     "rightPalm", 10},
    {"Reach Bravo 7",
     "link1 C:joint1:link2 R:joint2:link3 R:joint3:link4 C:joint4:link5 R:joint5:link6 "
     "C:joint6:link7 "
     "[ -:force_torque_sensor ] -:bravo_finger_jaws_base_link "
     "[ R:bravo_finger1_joint:bravo_finger1_link ] R:bravo_finger2_joint:bravo_finger2_link",
     "bravo_finger_jaws_base_link", 6},
    {"OpenMANIPULATOR-X",
     "world -:link1 R:joint1:link2 R:joint2:link3 R:joint3:link4 R:joint4:link5 "
     "[ P:gripper:gripper_link ] [ P:gripper_sub:gripper_link_sub=gripper ] -:end_effector_link",
     "end_effector_link", 4},
    {"Quanser QArm",
     "world -:base_link R:YAW:YAW R:SHOULDER:BICEP R:ELBOW:FOREARM R:WRIST:END-EFFECTOR",
     "END-EFFECTOR", 4},
    {"IRB 120", "base_link [ 6*R:joint_#:link_# -:flange -:tool0 ] -:base", "tool0", 6},
    {"Meca500", "meca_base_link 6*R:meca_axis_#_joint:meca_axis_#_link", "meca_axis_6_link", 6},
    {"PhantomX Pincher",
     "base_link R:shoulder_pan:shoulder_pan_link R:shoulder_lift:shoulder_lift_link "
     "R:elbow_flex:elbow_flex_link R:wrist_flex:wrist_flex_link [ "
     "R:gripper_link_joint:gripper_link ] "
     "-:gripper_servo_link P:gripper_joint:gripper_active_link",
     "wrist_flex_link", 4},
    {"youBot",
     "base_footprint -:base_link [ C:caster_joint_fl:caster_link_fl C:wheel_joint_fl:wheel_link_fl "
     "] "
     "[ C:caster_joint_fr:caster_link_fr C:wheel_joint_fr:wheel_link_fr ] -:arm_link_0 "
     "5*R:arm_joint_#:arm_link_# -:gripper_palm_link [ "
     "P:gripper_finger_joint_l:gripper_finger_link_l ] "
     "P:gripper_finger_joint_r:gripper_finger_link_r",
     "gripper_palm_link", 5},
    {"Stretch",
     "base_link [ C:joint_right_wheel:link_right_wheel ] [ C:joint_left_wheel:link_left_wheel ] "
     "-:link_mast [ R:joint_head_pan:link_head_pan R:joint_head_tilt:link_head_tilt ] "
     "P:joint_lift:link_lift -:link_arm_l4 P:joint_arm_l3:link_arm_l3 P:joint_arm_l2:link_arm_l2 "
     "P:joint_arm_l1:link_arm_l1 P:joint_arm_l0:link_arm_l0 R:joint_wrist_yaw:link_wrist_yaw "
     "-:link_gripper [ R:joint_gripper_finger_left:link_gripper_finger_left ] "
     "[ R:joint_gripper_finger_right:link_gripper_finger_right ] -:link_grasp_center",
     "link_gripper", 6},
    {"a SCARA keeps its sliding joint", "base R:j1:arm1 R:j2:arm2 P:j3:quill R:j4:tool", "tool", 4},
    {"an arm with a parallel rod",
     "base R:j1:turret R:j2:upper [ R:rod_joint:rod=j2 ] R:j3:fore R:j4:wrist -:flange", "flange",
     4},
    {"wheels alone", "base [ C:left:left_wheel ] C:right:right_wheel", "left_wheel", 1},
    {"a gripper alone", "palm [ P:finger_joint1:left ] P:finger_joint2:right=finger_joint1", "left",
     1},
};

}  // namespace dyn::test
